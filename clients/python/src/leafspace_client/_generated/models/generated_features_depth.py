from typing import Literal

GeneratedFeaturesDepth = Literal[1, 2]

GENERATED_FEATURES_DEPTH_VALUES: set[GeneratedFeaturesDepth] = {
    1,
    2,
}


def check_generated_features_depth(value: int) -> GeneratedFeaturesDepth:
    if value in GENERATED_FEATURES_DEPTH_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {GENERATED_FEATURES_DEPTH_VALUES!r}")
