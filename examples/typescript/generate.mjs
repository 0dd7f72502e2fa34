// node generate.mjs OPENAPI.json SCHEMA.d.ts: write the types of the contract. Files are Blobs, as forms take them.
import { writeFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import openapiTypescript, { astToString } from "openapi-typescript";
import ts from "typescript";

const [contract, target] = process.argv.slice(2);
const blob = ts.factory.createTypeReferenceNode(ts.factory.createIdentifier("Blob"));
const syntax = await openapiTypescript(pathToFileURL(contract), {
  defaultNonNullable: false, // a field of a request that has a default may be left out
  transform: (schema) => (schema.contentMediaType === "application/octet-stream" ? blob : undefined),
});
await writeFile(target, astToString(syntax));
