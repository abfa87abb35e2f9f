import { readFile, writeFile } from 'node:fs/promises'
import { openapiDocument } from '@blindkeep/protocol/openapi'
import server from '../packages/server/package.json' with { type: 'json' }
import { argumentsOf } from './arguments.ts'

/** Writes openapi.json from the table of operations; with `--check`, fails when the committed file differs from the table. */
const { values } = argumentsOf('npm run make:openapi [-- --check]', { check: { type: 'boolean', default: false } })
const file = new URL('../openapi.json', import.meta.url)
const made = `${JSON.stringify(openapiDocument(server.version), null, 2)}\n`

if (!values.check) {
  await writeFile(file, made)
} else if ((await readFile(file, 'utf8')) !== made) {
  console.error('openapi.json does not match operations.ts. Run `npm run make:openapi` and commit the result.')
  process.exitCode = 1
}
