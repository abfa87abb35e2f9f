// Makes both clients from openapi.json, into `made/`.
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { createClient } from '@hey-api/openapi-ts'
import openapiTypes, { astToString } from 'openapi-typescript'
import ts from 'typescript'

const document = fileURLToPath(new URL('../../openapi.json', import.meta.url))
const made = new URL('made/', import.meta.url)
await mkdir(made, { recursive: true })

// As the manual of openapi-typescript says for bodies of bytes.
const BLOB = ts.factory.createTypeReferenceNode('Blob')
const transform = ({ format }) => (format === 'binary' ? BLOB : undefined)
const types = await openapiTypes(JSON.parse(await readFile(document, 'utf8')), { transform })
await writeFile(new URL('types.ts', made), astToString(types))

await createClient({
  input: document,
  output: { path: fileURLToPath(new URL('heyApi', made)), module: { extension: '.ts' } },
  plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
  logs: { level: 'silent' },
})
