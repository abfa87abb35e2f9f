import { readFile, writeFile } from 'node:fs/promises'
import { openapiDocument } from '@blindkeep/protocol/openapi'
import server from '../packages/server/package.json' with { type: 'json' }

/** Writes openapi.json from the table of operations; with `--check`, fails when the committed file differs from the table. */
const file = new URL('../openapi.json', import.meta.url)
const made = `${JSON.stringify(openapiDocument(server.version), null, 2)}\n`

if (!process.argv.includes('--check')) {
  await writeFile(file, made)
} else if ((await readFile(file, 'utf8')) !== made) {
  console.error('openapi.json does not match operations.ts. Run `npm run make:openapi` and commit the result.')
  process.exitCode = 1
}
