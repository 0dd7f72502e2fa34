/** A session over HTTP: every answer has the type that the contract gives it, so that nothing is cast. */
import { readFile } from "node:fs/promises";
import createClient from "openapi-fetch";
import type { components, paths } from "./schema.js";

type Schemas = components["schemas"];

const [url, folder] = process.argv.slice(2);
if (!url || !folder) throw new Error("node built/session.js URL FOLDER: a folder that breast_cancer_files.py wrote");
const key = process.env["LEAFSPACE_API_KEY"];
const client = createClient<paths>({ baseUrl: url, ...(key ? { headers: { Authorization: `Bearer ${key}` } } : {}) });

/** Return what was answered, or throw what the problem says. */
function checked<T>(answer: { data?: T; error?: Schemas["Problem"] }): T {
  if (answer.data === undefined) throw new Error(answer.error?.detail ?? "the answer is empty");
  return answer.data;
}

/** Uploads are forms: a file, and metadata as a text in JSON. */
function form(body: { file: Blob; metadata?: string | null } | object): FormData {
  const fields = new FormData();
  if ("file" in body) fields.append("file", body.file, "file");
  if ("metadata" in body && body.metadata) fields.append("metadata", body.metadata);
  return fields;
}

/** Wait until a job has ended; the service answers as soon as it has, or after a minute. */
async function finished(id: string): Promise<void> {
  const headers = { Prefer: "wait=60" };
  const job = checked(await client.GET("/v1/jobs/{job_id}", { params: { path: { job_id: id } }, headers }));
  if (job.status === "succeeded") return;
  if (job.status === "failed" || job.status === "cancelled") throw new Error(job.problem?.detail ?? job.status);
  return finished(id);
}

async function register(): Promise<[Schemas["Model"], Schemas["Dataset"]]> {
  const model = await client.POST("/v1/models", {
    body: {
      file: new Blob([await readFile(`${folder}/model.onnx`)]),
      metadata: await readFile(`${folder}/metadata.json`, "utf8"),
    },
    bodySerializer: form,
  });
  const dataset = await client.POST("/v1/datasets", {
    body: {
      file: new Blob([await readFile(`${folder}/rows.csv`)]),
      metadata: JSON.stringify({ target: "diagnosis" } satisfies Schemas["DatasetMetadata"]),
    },
    bodySerializer: form,
  });
  const registered = checked(dataset);
  // A dataset that is read from a bucket, and no other, is registered by a job.
  if (registered.object === "job") throw new Error("a file is no job");
  return [checked(model), registered];
}

async function makeExplainer(model: string, dataset: string): Promise<Schemas["Explainer"]> {
  const request = { model, dataset, n_prototypes: 3 };
  const requested = checked(await client.POST("/v1/prototype-sets", { body: request }));
  if (requested.job) await finished(requested.job);
  const path = { prototype_set_id: requested.id };
  const result = checked(await client.GET("/v1/prototype-sets/{prototype_set_id}/content", { params: { path } }));
  console.log(`prototypes: ${result.prototypes.map((prototype) => prototype.row_id).join(", ")}`);
  return checked(await client.POST("/v1/explainers", { body: { model, prototype_set: requested.id } }));
}

async function explain(explainer: string): Promise<void> {
  const request: Schemas["ExplanationRequest"] = JSON.parse(await readFile(`${folder}/instance.json`, "utf8"));
  const params = { path: { explainer_id: explainer } };
  const { data: explanations } = checked(
    await client.POST("/v1/explainers/{explainer_id}/explanations", { params, body: request }),
  );
  for (const explanation of explanations) {
    if (explanation.status === "error") throw new Error(explanation.problem.detail);
    const { prediction } = explanation;
    console.log(`predicted: ${prediction.task === "classification" ? prediction.label : prediction.value}`);
    console.log(explanation.summary);
  }
  const page = await client.POST("/v1/explainers/{explainer_id}/explanations", {
    params,
    body: request,
    headers: { Accept: "text/html" },
    parseAs: "text",
  });
  console.log(`as HTML: ${checked(page).length > 1000}`);
}

async function predict(model: string): Promise<void> {
  const { instances } = JSON.parse(await readFile(`${folder}/instance.json`, "utf8"));
  const params = { path: { model_id: model } };
  const { data } = checked(await client.POST("/v1/models/{model_id}/predictions", { params, body: { instances } }));
  for (const prediction of data) console.log(`scores: ${JSON.stringify(prediction)}`);
}

const [model, dataset] = await register();
const explainer = await makeExplainer(model.id, dataset.id);
await explain(explainer.id);
await predict(model.id);
