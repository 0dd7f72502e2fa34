# One image for the API and for workers; docker-compose.yml says which of them a container is.
ARG PYTHON_IMAGE=python:3.12-slim
FROM ${PYTHON_IMAGE}
RUN useradd --create-home leafspace && install --directory --owner leafspace --mode 700 /data
WORKDIR /app
COPY requirements/runtime.txt requirements/cluster.txt requirements/
RUN pip install --no-cache-dir --require-hashes -r requirements/runtime.txt
# docker build --build-arg CLUSTER=1: with what it takes to run jobs on a cluster.
ARG CLUSTER=
RUN if [ -n "$CLUSTER" ]; then pip install --no-cache-dir --require-hashes -r requirements/cluster.txt; fi
COPY . .
RUN pip install --no-cache-dir --no-deps --no-build-isolation ./drawings .
USER leafspace
ENV LEAFSPACE_DATA_DIR=/data ORT_DISABLE_TELEMETRY=1
RUN leafspace warm
VOLUME /data
CMD ["leafspace", "serve"]
