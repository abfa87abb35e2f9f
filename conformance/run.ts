/**
 * Tests a server against the specification: `node conformance/run.ts http://127.0.0.1:8080`. Without an argument it starts a server itself,
 * which the tests with settings of their own need; with `--nodes` three nodes, and each request goes to another one. Exits with 1 when a test fails, when no test meets a status that the document declares
 * and untestableStatuses.ts does not list, or when its own server logs text in the form of a credential.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { startNodes } from '../testing/nodes.ts'
import { openObjectStore } from '../testing/objectStore.ts'
import { startServer } from '../testing/startServer.ts'
import { createClient } from './client.ts'
import { testFiles } from './suite.ts'
import { UNTESTABLE_STATUSES } from './untestableStatuses.ts'

const FILES_AT_ONCE = 2
/** Starts first, so that all others run beside it. */
const LONGEST = 'manyChunks.test.ts'

const [argument] = process.argv.slice(2)
const given = argument === '--nodes' ? undefined : argument
const server = await startOwn()
const base = given ?? server?.url ?? ''
const directory = await mkdtemp(join(tmpdir(), 'blindkeep-conformance-'))
const journal = join(directory, 'metStatuses')
try {
  process.env.CONFORMANCE_URL = base
  process.env.CONFORMANCE_SEEN = journal
  if (server !== undefined) process.env.CONFORMANCE_OWN = '1'
  const passed = await runTests()
  const missed = await statusesNotMet()
  if (server !== undefined && missed.length > 0)
    console.log(`Declared statuses that no test meets:\n  ${missed.join('\n  ')}`)
  const leaked = credentialShapes(server?.log() ?? '')
  if (leaked.length > 0) console.log(`Log lines with text in the form of a credential:\n  ${leaked.join('\n  ')}`)
  process.exitCode = passed && (server === undefined || missed.length === 0) && leaked.length === 0 ? 0 : 1
} finally {
  await server?.stop()
  await rm(directory, { recursive: true, force: true })
}

async function startOwn(): Promise<{ readonly url: string; log(): string; stop(): Promise<unknown> } | undefined> {
  const env = { LOG_LEVEL: 'trace' }
  if (argument === undefined) return startServer({ env })
  if (argument !== '--nodes') return undefined
  const bytes = await openObjectStore()
  const nodes = await startNodes({ blobs: bytes.env, env })
  return {
    ...nodes,
    async stop() {
      await nodes.stop()
      await bytes.stop()
    },
  }
}

function runTests(): Promise<boolean> {
  return new Promise((resolve, reject) => {
    let passed = true
    const files = testFiles()
    const longest = files.filter((path) => path.endsWith(LONGEST))
    const stream = run({ files: [...new Set([...longest, ...files])], concurrency: FILES_AT_ONCE })
    stream.on('test:fail', () => {
      passed = false
    })
    stream.on('error', reject)
    stream.once('end', () => resolve(passed))
    stream.compose(spec).pipe(process.stdout)
  })
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

/** `secrets.test.ts` searches for known secrets; this searches for their form in the log of the whole run. Returns lines with the matches cut out. */
function credentialShapes(log: string): readonly string[] {
  const shapes = /(?<![\w-])(?:[0-9a-f]{32}|eyJ[\w-]+\.eyJ[\w-]+\.[\w-]+)(?![\w-])/g
  return log.split('\n').flatMap((line) => (line.search(shapes) < 0 ? [] : [line.replace(shapes, '…')]))
}
