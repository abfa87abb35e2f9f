import { readFile, writeFile } from 'node:fs/promises'
import { openapiDocument } from '@blindkeep/protocol/openapi'
import type { Json } from '@blindkeep/protocol/openapi/examples'
import server from '../packages/server/package.json' with { type: 'json' }
import { argumentsOf } from './arguments.ts'

/** Writes openapi.json from the table of operations; `--check` fails when the file differs. */
const { values } = argumentsOf('npm run make:openapi [-- --check]', { check: { type: 'boolean', default: false } })
const file = new URL('../openapi.json', import.meta.url)
const MAX_LINE_LENGTH = 120
const made = `${written(openapiDocument(server.version))}\n`

if (!values.check) {
  await writeFile(file, made)
} else if ((await readFile(file, 'utf8')) !== made) {
  console.error('openapi.json does not match operations.ts. Run `npm run make:openapi` and commit the result.')
  process.exitCode = 1
}
/** Like `JSON.stringify` with tabs, but what fits in a line stays in one. */
function written(value: Json, margin = '', name = ''): string {
  const line = `${name}${JSON.stringify(value)}`
  if (typeof value !== 'object' || value === null || margin.length * 2 + line.length < MAX_LINE_LENGTH) return line
  const inner = `${margin}\t`
  const isList = Array.isArray(value)
  const parts = isList
    ? value.map((item) => written(item, inner))
    : Object.entries(value).map(([key, member]) => written(member, inner, `${JSON.stringify(key)}: `))
  const [open, close] = isList ? '[]' : '{}'
  return `${name}${open}\n${parts.map((part) => `${inner}${part}`).join(',\n')}\n${margin}${close}`
}
