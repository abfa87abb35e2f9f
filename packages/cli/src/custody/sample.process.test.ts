/** `blindkeep verify --sample` as a process, against a server that loses segments. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { isRequest } from '../../../../testing/maliciousServer.ts'
import type { Exchanged } from '../../../../testing/tamperingProxy.ts'
import { newCliKeeper } from '../testing/keeper.ts'
import { factsOf, finished, openSharedWorld } from '../testing/world.ts'

const world = await openSharedWorld()
const { run, start, facts, proxy, root } = world
const { owner, as } = await newCliKeeper(world, 'ada')
const folder = await world.folder('files', { 'plan.bin': randomBytes(2_000_000), 'note.txt': randomBytes(10) })
await facts(['upload', join(folder, 'plan.bin'), join(folder, 'note.txt'), '--album', 'Scans', ...as])

const isOf = (start: number) => (exchange: Exchanged) =>
  isRequest('GET', /^\/v1\/blob\//)(exchange) && exchange.headers.range?.startsWith(`bytes=${start}-`) === true
/** The second segment of the large file begins behind 1090 bytes and a segment. */
const SECOND = 1090 + 1024 ** 2
const records = async () =>
  (await readFile(join(root, 'home', 'profiles', 'ada', 'samples', `${owner.accountId}.jsonl`), 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

describe('blindkeep verify --sample', () => {
  it('says the cost first, then what it found with which certainty, and records the run without names', async () => {
    const [cost, ...more] = await facts(['verify', '--sample', '90', ...as])
    const { event, samples, segments, files } = cost
    assert.deepEqual([event, samples, segments, files], ['cost', 90, 3, 2])
    const sampled = more.find((fact) => fact.event === 'sampled')
    // This profile has sealed both files.
    assert.deepEqual([sampled.good, sampled.some_version, sampled.bad, sampled.not_asked], [90, 0, 0, 0])
    assert.ok(Math.abs(sampled.found_share - 0.05) < 0.001)
    assert.deepEqual([more.at(-1).event, more.at(-1).held], ['done', 2])
    const [record] = await records()
    assert.deepEqual([record.segments, record.samples.length, record.seed], [3, 90, sampled.seed])
    assert.ok(record.feed_seq > 0)
    assert.doesNotMatch(JSON.stringify(record), /plan|note|Scans/)
  })

  it('exits with 3 for bytes that do not open, with 1 for missing ones and for a line that fails', async () => {
    proxy.tamper({ matches: isOf(SECOND), answer: (message) => ({ ...message, body: message.body.fill(7, 5, 9) }) })
    const altered = await run(['verify', '--sample', '90', '--json', ...as])
    proxy.tamper({ matches: isOf(SECOND), instead: 403 })
    const refused = await run(['verify', '--sample', '90', ...as])
    proxy.tamper({ matches: isOf(SECOND), lose: 'answer' })
    const lost = await run(['verify', '--sample', '90', '--json', ...as])
    proxy.tamper()
    assert.deepEqual([altered.status, refused.status, lost.status], [3, 1, 1])
    const [bad] = factsOf(altered).filter(({ event }) => event === 'sample_bad')
    assert.deepEqual([bad.name, bad.segments, bad.reason], ['plan.bin', [1], 'altered'])
    assert.match(refused.stderr, /plan\.bin: 1 segment: the server refuses them\. Keep your copy\./)
    assert.doesNotMatch(refused.stdout, /probability/)
    const sampled = factsOf(lost).find(({ event }) => event === 'sampled')
    assert.ok(sampled.not_asked > 0 && sampled.bad === 0 && sampled.found_share === undefined)
    assert.equal((await records()).length, 4)
  })

  it('records what it had asked when it is interrupted, and claims nothing', async () => {
    const child = start(['verify', '--sample', '90', ...as])
    const interrupt = async () => {
      child.kill('SIGINT')
      await once(child, 'exit')
    }
    proxy.tamper({ matches: isOf(SECOND), cut: { afterBytes: 10, meanwhile: interrupt } })
    const { status, stdout } = await finished(child)
    proxy.tamper()
    assert.equal(status, 130)
    assert.doesNotMatch(stdout, /probability/)
    const { stopped, samples } = (await records()).at(-1)
    assert.ok(stopped)
    assert.ok(samples.some(([, , word]: readonly string[]) => word === 'not_asked'))
  })
})
