/**
 * One real server behind a tampering proxy, shared by all tests of this process: starting one for each file would take
 * most of the time. The proxy stops tampering after each test. A test that changes the server for others (keys,
 * settings, log level) starts its own.
 */
import { after, afterEach } from 'node:test'
import { type BehindProxy, startBehindProxy } from '../../../../testing/behindProxy.ts'

/** Small, so that tests of several chunks need only a few MiB. */
const CHUNK_BYTES = 1024 * 1024

let started: Promise<BehindProxy> | undefined

/** Call it at the top of a test file. */
export function sharedServer(): Promise<BehindProxy> {
  started ??= start()
  return started
}

async function start(): Promise<BehindProxy> {
  let running: BehindProxy | undefined
  afterEach(() => running?.proxy.tamper())
  after(() => running?.stop())
  running = await startBehindProxy({ CHUNK_BYTES_SUGGESTED: String(CHUNK_BYTES) })
  return running
}
