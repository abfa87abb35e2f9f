/**
 * Tests a server against the specification: `node conformance/run.ts http://127.0.0.1:8080`. Without a URL it starts a
 * server itself, which the tests with settings of their own need: on SQLite and files, with `--on postgres` on
 * PostgreSQL and files, with `--on postgres+s3` on PostgreSQL and an object store; with `--nodes 2` on as many nodes on
 * the last, of which each gets every other request. The names of test files bound the run to these. Exits with 1 when a
 * test fails, when no test meets a status that the document declares and untestableStatuses.ts does not list (if all
 * files ran), or when its own server logs text in the form of a credential.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { BACKENDS, startServed, useBackend } from '../testing/backend.ts'
import { COMPILED } from '../testing/command.ts'
import { memoryDirectory } from '../testing/memoryDirectory.ts'
import { argumentsOf } from '../tools/arguments.ts'
import { createClient } from './client.ts'
import { testFiles } from './suite.ts'
import { UNTESTABLE_STATUSES } from './untestableStatuses.ts'

/** The files of one share what it loads and compiles, and the servers with equal settings. */
const PROCESSES = 2

const { given, names, on, nodes } = readArguments()
// Also of all servers: no sync waits for a disk.
process.env.TMPDIR = memoryDirectory() ?? tmpdir()
const endBackend = given === undefined ? await useBackend({ on, nodes }) : async () => undefined
const server = given === undefined ? await startServed({ env: { LOG_LEVEL: 'trace' } }) : undefined
const base = given ?? server?.url ?? ''
const directory = await mkdtemp(join(tmpdir(), 'blindkeep-conformance-'))
const journal = join(directory, 'metStatuses')
try {
  process.env.CONFORMANCE_URL = base
  process.env.CONFORMANCE_SEEN = journal
  if (server !== undefined) process.env.CONFORMANCE_OWN = '1'
  const passed = await runTests()
  const missed = names.length > 0 ? [] : await statusesNotMet()
  if (server !== undefined && missed.length > 0)
    console.log(`Declared statuses that no test meets:\n  ${missed.join('\n  ')}`)
  const leaked = credentialShapes(server?.log() ?? '')
  if (leaked.length > 0) console.log(`Log lines with text in the form of a credential:\n  ${leaked.join('\n  ')}`)
  process.exitCode = passed && (server === undefined || missed.length === 0) && leaked.length === 0 ? 0 : 1
} finally {
  await server?.stop()
  await endBackend()
  await rm(directory, { recursive: true, force: true })
}

function readArguments() {
  const { values, positionals } = argumentsOf(
    `npm run conformance -- [URL of a server] [name of a file …] [--on ${BACKENDS.join('|')}] [--nodes COUNT]`,
    { on: { type: 'string' }, nodes: { type: 'string', default: '1' } },
    { maxPositionals: Number.POSITIVE_INFINITY },
  )
  const isUrl = (text: string) => /^https?:/.test(text)
  const nodes = Number(values.nodes)
  const on = BACKENDS.find((each) => each === (values.on ?? (nodes > 1 ? 'postgres+s3' : 'sqlite')))
  if (on === undefined || !Number.isInteger(nodes) || nodes < 1 || (nodes > 1 && on !== 'postgres+s3'))
    throw new Error(`--on is one of ${BACKENDS.join(', ')}; several --nodes need the last`)
  return { given: positionals.find(isUrl), names: positionals.filter((each) => !isUrl(each)), on, nodes }
}

async function runTests(): Promise<boolean> {
  const files = testFiles(names)
  const each = Math.ceil(files.length / PROCESSES)
  const halves = [files.slice(0, each), files.slice(each)].filter((half) => half.length > 0)
  const passed = await Promise.all(halves.map(runFiles))
  return passed.every(Boolean)
}

/** Prints the output of the process in one piece when it has ended. */
async function runFiles(files: readonly string[]): Promise<boolean> {
  const runner = fileURLToPath(new URL('../tools/tests.ts', import.meta.url))
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', runner, ...files], {
    env: { ...process.env, NODE_COMPILE_CACHE: COMPILED },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const pieces: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece: Buffer) => pieces.push(piece))
  const [status] = await once(child, 'close')
  process.stdout.write(Buffer.concat(pieces))
  return status === 0
}

async function statusesNotMet(): Promise<readonly string[]> {
  const { document } = await createClient(base)
  const met = new Set((await readFile(journal, 'utf8')).split('\n'))
  return document.operations.flatMap((operation) => {
    const untestable = UNTESTABLE_STATUSES.filter(({ includes }) => includes(operation)).map(({ status }) => status)
    const testable = operation.statuses.filter((status) => !untestable.includes(status))
    return testable.map((status) => `${operation.name} ${status}`).filter((pair) => !met.has(pair))
  })
}

/** Searches the run's log for the form of secrets; `secrets.test.ts` for known ones. Matches are cut out. */
function credentialShapes(log: string): readonly string[] {
  const shapes = /(?<![\w-])(?:[0-9a-f]{32}|eyJ[\w-]+\.eyJ[\w-]+\.[\w-]+)(?![\w-])/g
  return log.split('\n').flatMap((line) => (line.search(shapes) < 0 ? [] : [line.replace(shapes, '…')]))
}
