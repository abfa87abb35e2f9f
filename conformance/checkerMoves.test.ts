/** The receipt checker with receipts of a server that has moved: its published vectors, and its command. */
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import vectors from '../vectors/moves.json' with { type: 'json' }
import { checkReceipts } from './checker/check.ts'
import { run } from './checkerRun.ts'

type Claims = Omit<(typeof vectors.invalid)[number], 'reason'>

const publicOf = new Map(vectors.keys.map((key) => [key.key_id, key.public]))
const statementOf = (name: string) => {
  const found = vectors.statements.find((statement) => statement.name === name)
  assert.ok(found, name)
  return { leave: found.leave, arrive: found.arrive }
}
const keysOf = ({ server_id, keys }: Claims) => ({
  server_id,
  keys: keys.map((key) => ({ ...key, public: publicOf.get(key.key_id), algorithm: 'hybrid-ed25519-mldsa65' })),
})
const movesOf = ({ server_id, moves, rotations }: Claims) => ({
  server_id,
  moves: moves.map(statementOf),
  rotations: rotations.map(statementOf),
})
const claims = vectors.valid.find(({ name }) => name === vectors.receipts.of)
assert.ok(claims)
const [keys, moves] = [keysOf(claims), movesOf(claims)]
const kindsOf = ({ faults }: Awaited<ReturnType<typeof checkReceipts>>) => faults.map(({ kind }) => kind)
const log = vectors.receipts.chains.find(({ name }) => name === 'the whole log')?.receipts ?? []

// Covers: Receipt checker
describe('the receipt checker with a server that has moved', () => {
  it('accepts every valid list of statements, and refuses every invalid one', async () => {
    for (const one of vectors.valid)
      assert.deepEqual(kindsOf(await checkReceipts([], { keys: keysOf(one), moves: movesOf(one) })), [], one.name)
    for (const one of vectors.invalid) {
      const kinds = kindsOf(await checkReceipts([], { keys: keysOf(one), moves: movesOf(one) }))
      assert.ok(kinds.length > 0 && kinds.every((kind) => kind === 'keys'), one.name)
    }
  })

  it('refuses every invalid statement', async () => {
    const one = vectors.valid.find(({ name }) => name === 'one move')
    assert.ok(one && vectors.invalid_statements.length > 40)
    const judged = async (list: 'moves' | 'rotations', statement: { leave: string; arrive: string }) => {
      const given = { ...movesOf({ ...one, moves: [], rotations: [] }), [list]: [statement] }
      return (await checkReceipts([], { keys: keysOf(one), moves: given })).faults.map(({ what }) => what)
    }
    assert.deepEqual(await judged('moves', statementOf('to the name')), [])
    const rules = { 'payload: the same names': /^field to: /, 'payload: the same key': /^field new_key: / }
    for (const { name, leave, arrive } of vectors.invalid_statements) {
      assert.match(
        (await judged('moves', { leave, arrive })).join('\n'),
        rules[name as keyof typeof rules] ?? /./,
        name,
      )
      assert.notDeepEqual(await judged('rotations', { leave, arrive }), [], name)
    }
  })

  it('judges every receipt as the vector does, and tells what the server denies from what is not its own', async () => {
    const kindOf = { key_unknown: 'key', other_server: 'server', outside_era: 'denied', head_differs: 'denied' }
    for (const { name, receipt_cbor, fault } of vectors.receipts.judged) {
      const wanted = fault === null ? [] : [kindOf[fault as keyof typeof kindOf]]
      assert.deepEqual(kindsOf(await checkReceipts([receipt_cbor], { keys, moves })), wanted, name)
    }
  })

  it('follows the log across moves, and says the former names only as the server’s own claim', async () => {
    const report = await checkReceipts(log, { keys, moves, whole: true, log: true })
    assert.deepEqual(report.faults, [])
    const [first, second] = vectors.receipts.moves
    assert.deepEqual(report.claimed_former_names, [
      { claimed_server_id: first?.from, claimed_until: '2026-03-02T00:00:00.000Z', receipts: 2 },
      { claimed_server_id: second?.from, claimed_until: '2026-05-01T12:00:00.001Z', receipts: 3 },
    ])
    assert.equal(report.server_id, claims.server_id)
  })

  it('takes no former name without the statements, or with false ones', async () => {
    const kinds = ['server', 'server', 'server']
    assert.deepEqual(kindsOf(await checkReceipts(log, { keys })), kinds)
    const false_ = { ...moves, rotations: [] }
    const found = kindsOf(await checkReceipts(log, { keys, moves: false_ }))
    assert.deepEqual(
      found.filter((kind) => kind === 'server'),
      kinds,
    )
  })

  it('refuses statements of another server', async () => {
    const others = { ...moves, server_id: 'https://other.example' }
    assert.deepEqual(kindsOf(await checkReceipts([], { keys, moves: others })), ['keys'])
  })

  it('compares pins of the former name with the keys of then', async () => {
    const early = { server_id: 'http://127.0.0.1:8080', keys: keys.keys.slice(0, 1) }
    assert.deepEqual(kindsOf(await checkReceipts(log, { keys, moves, pins: early })), [])
    for (const pins of [
      { ...early, server_id: 'https://keep.example' },
      { ...early, keys: keys.keys.slice(0, 2) },
      { ...early, keys: keys.keys.slice(1, 2) },
    ])
      assert.deepEqual(new Set(kindsOf(await checkReceipts(log, { keys, moves, pins }))), new Set(['keys']))
  })
})

// Covers: Receipt checker
describe('npm run check:receipts with a server that has moved', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'blindkeep-moved-'))
  after(() => rm(folder, { recursive: true, force: true }))
  const path = (name: string) => join(folder, name)
  await writeFile(path('keys'), JSON.stringify(keys))
  await writeFile(path('moves'), JSON.stringify(moves))
  const check = (...more: readonly string[]) => run(['-', '--keys', path('keys'), ...more], log.join('\n'))

  it('says who says which name', async () => {
    const { status, stdout } = await check('--moves', path('moves'))
    assert.equal(status, 0)
    assert.ok(
      stdout.includes(
        '3 of them: signed by a key that http://127.0.0.1:8080 lists as its own; it says that it was https://keep.example until 2026-05-01T12:00:00.001Z.',
      ),
      stdout,
    )
  })

  it('names the option when receipts have other names, and needs an answer of moves', async () => {
    const without = await check()
    assert.equal(without.status, 1)
    assert.match(without.stdout, /whether the other names are former ones \(--moves\)/)
    assert.equal((await check('--moves', path('keys'))).status, 2)
  })
})
