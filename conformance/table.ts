/** Reads the tables of README.md: which test proves which rule and which declared status, and what no test can provoke. */
import { readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { DeclaredOperation, ServerDocument } from './document.ts'

const FOLDER = new URL('.', import.meta.url)

/** A row that no test proves starts its last cell with one of these, and the reason follows. */
const EXCUSES = ['not provoked:', 'not built:']

export interface Row {
  /** All cells but the last. */
  readonly cells: readonly string[]
  /** `file: name` of each test that the last cell names. */
  readonly tests: readonly string[]
  /** Why no test proves it. */
  readonly excuse: string | undefined
}

/** What the first cell of a row about statuses may say instead of an operation. */
const KINDS: Readonly<Record<string, (operation: DeclaredOperation) => boolean>> = {
  'every operation': () => true,
  'every operation that asks for a token': (operation) => operation.bearer,
  'every operation under /v1 and /d': (operation) => /^\/(v1|d)\//.test(operation.path),
  'every operation with a body': (operation) => operation.bodyType !== undefined,
  'every operation with a JSON body': (operation) => operation.bodyType === 'application/json',
}

export function testFiles(): readonly string[] {
  const names = readdirSync(FOLDER).filter((name) => name.endsWith('.test.ts'))
  return names.map((name) => fileURLToPath(new URL(name, FOLDER)))
}

/** Every test of the suite as `file: name`, for instance `chunks: takes a chunk that comes byte by byte`. */
export function testNames(): readonly string[] {
  return testFiles().flatMap((path) => {
    const file = basename(path, '.test.ts')
    const names = [...readFileSync(path, 'utf8').matchAll(/^\s*it\(\s*(['"`])(.+?)\1/gm)]
    return names.map((match) => `${file}: ${match[2]}`)
  })
}

/** All rows under the heading of that name, without the table's head. */
export function rowsUnder(heading: string): readonly Row[] {
  const section = readFileSync(new URL('README.md', FOLDER), 'utf8')
    .split(/^## /m)
    .find((text) => text.startsWith(`${heading}\n`))
  if (section === undefined) throw new Error(`README.md has no section ${heading}`)
  const lines = section.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| ---'))
  const isHead = (line: string) => section.includes(`${line}\n| ---`)
  return lines.filter((line) => !isHead(line)).map(rowOf)
}

function rowOf(line: string): Row {
  const cells = line
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim())
  const last = cells.pop() ?? ''
  const excuse = EXCUSES.some((word) => last.startsWith(word)) ? last : undefined
  return { cells, excuse, tests: excuse === undefined ? last.split('<br>').map((text) => text.trim()) : [] }
}

export interface StatusRow extends Row {
  /** `POST /d/{opaque_id} 201` for each declared status that the row is about. */
  readonly pairs: readonly string[]
}

export function statusRows(document: ServerDocument): readonly StatusRow[] {
  return rowsUnder('Statuses').map((row) => {
    const [kind = '', statuses = ''] = row.cells
    const meets = KINDS[kind] ?? ((operation: DeclaredOperation) => `\`${operation.name}\`` === kind)
    const wanted = statuses.split(',').map((status) => Number(status.trim()))
    const pairs = document.operations
      .filter(meets)
      .flatMap(({ name, statuses: declared }) =>
        wanted.filter((status) => declared.includes(status)).map((status) => `${name} ${status}`),
      )
    return { ...row, pairs }
  })
}

/** Declared statuses that only rows with an excuse are about. */
export function excusedStatuses(document: ServerDocument): ReadonlySet<string> {
  const rows = statusRows(document)
  const proven = new Set(rows.filter(({ excuse }) => excuse === undefined).flatMap(({ pairs }) => pairs))
  const excused = rows.filter(({ excuse }) => excuse !== undefined).flatMap(({ pairs }) => pairs)
  return new Set(excused.filter((pair) => !proven.has(pair)))
}
