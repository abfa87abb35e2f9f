/** Receipts of a server that has had several names, and what it says about these. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { decodeReceipt, readReceipt } from '@blindkeep/protocol/receipt'
import vectors from '../../../../vectors/moves.json' with { type: 'json' }
import { createCalls } from '../http/call.ts'
import { verifiers } from '../seal/signatures.ts'
import {
  type Documents,
  documentsOf,
  HOME,
  listsOf,
  NAME,
  NEXT,
  NO_STATEMENTS,
  pinsOf,
  startScriptedServers,
  statement,
} from '../testing/scriptedServers.ts'
import { openAudit } from './assetReceipts.ts'
import { auditServer, openReceipt } from './audit.ts'
import { AuditError, type AuditReason } from './auditError.ts'
import { erasOf } from './keyChanges.ts'
import { type PinnedKeys, parsePins } from './pinnedKeys.ts'
import { joinPins, pinReceipts } from './pins.ts'

/** HOME → NAME, a rotation there, NAME → HOME. */
const BACK = 'away and back again'
const { environment, asked, tell } = await startScriptedServers()
const hasReason = (reason: AuditReason) => (error: unknown) => error instanceof AuditError && error.reason === reason

/** What `name` has published, with its statements. */
function knowing(name: string): PinnedKeys {
  const { moves, rotations } = listsOf(name).changes
  return pinsOf(name, { keyChanges: { moves, rotations } })
}

const bytesOf = (base64: string) => new Uint8Array(Buffer.from(base64, 'base64'))
const judged = (name: string) =>
  (vectors.receipts.judged.find((one) => one.name === name) ?? assert.fail(name)).receipt_cbor

describe('the receipts of a server that has moved', () => {
  const REASONS: Readonly<Record<string, readonly AuditReason[]>> = {
    key_unknown: ['unknown_key'],
    other_server: ['wrong_server'],
    outside_era: ['outside_era'],
    head_differs: ['outside_era'],
  }
  const keys = knowing(BACK)

  for (const { name, receipt_cbor, fault } of vectors.receipts.judged)
    it(`${fault === undefined || fault === null ? 'count' : `do not count (${fault})`}: ${name}`, async () => {
      const opened = () => openReceipt({ receipt: readReceipt(bytesOf(receipt_cbor)), keys, serverId: HOME })
      if (fault === undefined || fault === null) return void (await opened())
      await assert.rejects(
        opened(),
        (error) => error instanceof AuditError && REASONS[fault]?.includes(error.reason) === true,
      )
    })

  it('of another name do not count without its statements', async () => {
    const receipt = readReceipt(bytesOf(judged('the first under the second name')))
    await assert.rejects(openReceipt({ receipt, keys: pinsOf(BACK), serverId: HOME }), hasReason('wrong_server'))
  })

  it('are one chain', () => {
    const chain = vectors.receipts.chains.find(({ name }) => name === 'the whole log') ?? assert.fail()
    const receipts = chain.receipts.map((cbor) => decodeReceipt(bytesOf(cbor)))
    const pins = pinReceipts(keys, receipts)
    assert.equal(pins.newestReceipt?.payload.server_id, HOME)
    assert.throws(() => pinReceipts(pinsOf(BACK), receipts), hasReason('chain_forked'))
  })
})

describe('a server that is asked for its keys', () => {
  const audit = (name: string, { pinned, documents }: Audit = {}) => {
    const { server_id: serverId } = listsOf(name).keys
    tell({ [serverId]: { ...documentsOf(name), ...documents } })
    return auditServer(createCalls({ baseUrl: serverId, ...environment }), pinned)
  }
  interface Audit {
    readonly pinned?: PinnedKeys
    readonly documents?: Documents
  }
  const timesAsked = () => asked.filter(({ url }) => url.endsWith('/moves')).length
  const MOVES = '/.well-known/service/moves'

  it('is asked for its statements once, and again once it has a new key', async () => {
    for (const name of ['one key', 'one rotation', 'two moves and a rotation']) {
      const { keys } = await audit(name)
      assert.equal(timesAsked(), 1)
      assert.deepEqual(keys, knowing(name))
      assert.deepEqual(parsePins(JSON.parse(JSON.stringify(keys))), keys)
      assert.deepEqual((await audit(name, { pinned: keys })).keys, keys)
      assert.equal(timesAsked(), 0)
    }
    for (const [before, now] of [
      ['one key', 'one rotation'],
      ['one move', 'a move and a rotation'],
    ] as const) {
      assert.deepEqual((await audit(now, { pinned: knowing(before) })).keys, knowing(now))
      assert.equal(timesAsked(), 1)
    }
  })

  it('has each statement verified once, before it is pinned', async (t) => {
    const { mock } = t.mock.method(verifiers, 'mlDsa65')
    const stored = (keys: PinnedKeys) => parsePins(JSON.parse(JSON.stringify(keys)))
    const first = await audit('one move')
    assert.equal(mock.callCount(), 2)
    const again = await audit('one move', { pinned: stored(first.keys) })
    assert.equal((await erasOf(again.keys))?.length, 2)
    assert.equal(mock.callCount(), 2)
    await audit('a move and a rotation', { pinned: stored(again.keys) })
    assert.equal(mock.callCount(), 4)
  })

  it('may have a new key without a statement only if it has never shown one', async () => {
    const documents = { [MOVES]: NO_STATEMENTS }
    assert.deepEqual(
      (await audit('one rotation', { documents, pinned: pinsOf('one key') })).keys,
      pinsOf('one rotation'),
    )
    const pinned = knowing('one key')
    await assert.rejects(audit('one rotation', { documents, pinned }), hasReason('moves_vanished'))
    const none = { [MOVES]: { json: listsOf('one key').changes } }
    await assert.rejects(audit('one rotation', { documents: none, pinned }), { name: 'AnswerError' })
    assert.throws(() => joinPins(pinned, pinsOf('one rotation')), hasReason('moves_vanished'))
    // Two first checks at once.
    assert.throws(() => joinPins(pinsOf('one rotation'), pinned), hasReason('moves_vanished'))
  })

  it('may hide or change no statement that was seen', async () => {
    const pinned = knowing('one move')
    const hidden = { [MOVES]: NO_STATEMENTS }
    await assert.rejects(audit('a move and a rotation', { pinned, documents: hidden }), hasReason('moves_vanished'))
    const { changes } = listsOf('a move and a rotation')
    const changed = { [MOVES]: { json: { ...changes, moves: [statement('before any receipt')] } } }
    await assert.rejects(audit('a move and a rotation', { pinned, documents: changed }), hasReason('moves_vanished'))
  })

  it('may not name another server in them, nor lead elsewhere', async () => {
    const { changes } = listsOf('one move')
    const scripted = (more: object) => ({ [MOVES]: { json: { ...changes, ...more } } })
    await assert.rejects(audit('one move', { documents: scripted({ server_id: NEXT }) }), hasReason('wrong_server'))
    const false2 = scripted({ moves: [statement('a first move with number 2')] })
    await assert.rejects(audit('one move', { documents: false2 }), hasReason('moves_malformed'))
    // The next holder of the first name, who has put it into each document.
    const [keys, moves] = [
      { ...listsOf('one move').keys, server_id: HOME },
      { ...changes, server_id: HOME },
    ]
    tell({ [HOME]: documentsOf('one key', { keys: { json: keys }, moves: { json: moves } }) })
    for (const pinned of [undefined, knowing('one key'), pinsOf('one key')]) {
      const asked = auditServer(createCalls({ baseUrl: HOME, ...environment }), pinned)
      await assert.rejects(asked, hasReason('moves_malformed'))
    }
  })

  it('may not say one thing to one check and another to the next, at the same time', async () => {
    tell({ [HOME]: documentsOf('one key', { moves: NO_STATEMENTS }) })
    const audit = await openAudit(createCalls({ baseUrl: HOME, ...environment }))
    const [first, second, third] = listsOf('two moves and a rotation').keys.keys
    const rotated = (next: object = {}) => ({ server_id: HOME, keys: [first, { ...second, ...next, active_to: null }] })
    const scripted = [rotated(), rotated({ key_id: third?.key_id, public: third?.public })]
    const receipt = readReceipt(bytesOf(judged('the first under the second name')))
    tell({ [HOME]: documentsOf('one key', { keys: () => ({ json: scripted.shift() }), moves: NO_STATEMENTS }) })
    const checks = await Promise.allSettled([audit.checkKept(receipt), audit.checkKept(receipt)])
    const reasons = checks.map((check) => check.status === 'rejected' && check.reason.reason)
    assert.deepEqual(reasons.sort(), ['key_vanished', 'wrong_server'])
  })

  it('may have a new key while receipts are checked', async () => {
    tell({ [HOME]: documentsOf('one key') })
    const audit = await openAudit(createCalls({ baseUrl: HOME, ...environment }))
    tell({ [HOME]: documentsOf(BACK) })
    await audit.checkKept(readReceipt(bytesOf(judged('under the first name again'))))
    assert.deepEqual(audit.keys().keyChanges, knowing(BACK).keyChanges)
    assert.equal(timesAsked(), 1)
    await audit.checkKept(readReceipt(bytesOf(judged('the first'))))
    assert.equal(timesAsked(), 1)
  })

  it('is asked twice if its lists do not fit, as behind a cache, and that is no alarm', async () => {
    const { changes } = listsOf('one move')
    const documents = { [MOVES]: { json: { ...changes, moves: [...changes.moves, statement('to the next name')] } } }
    await assert.rejects(audit('one move', { documents }), { name: 'AnswerError' })
    assert.equal(timesAsked(), 2)
  })
})

describe('pins of a server that has moved', () => {
  it('keep its statements when two processes have seen it', () => {
    const [less, more] = [knowing('one move'), knowing('a move and a rotation')]
    for (const [one, other] of [
      [less, more],
      [more, less],
      [more, pinsOf('a move and a rotation')],
      [pinsOf('a move and a rotation'), more],
      [pinsOf('one move'), more],
    ] as const)
      assert.deepEqual(joinPins(one, other).keyChanges, more.keyChanges)
    const other = { ...less, keyChanges: { moves: [statement('before any receipt')], rotations: [] } }
    assert.throws(() => joinPins(less, other), hasReason('moves_vanished'))
    const both = knowing('a move and a rotation')
    const [move, another, rotation] = ['to the name', 'before any receipt', 'a rotation'].map(statement)
    assert.ok(move && another && rotation)
    for (const keyChanges of [
      { moves: [{ ...move, leave: another.leave }], rotations: [rotation] },
      { moves: [{ ...move, arrive: another.arrive }], rotations: [rotation] },
      { moves: [move], rotations: [statement('a rotation of another name')] },
    ])
      assert.throws(() => joinPins(both, { ...both, keyChanges }), hasReason('moves_vanished'))
  })

  it('keep since when it is known', () => {
    const pins = pinsOf('one move')
    const known = { ...pins, knownSince: '2026-01-02T00:00:00.000Z' }
    for (const joined of [joinPins(known, pins), joinPins(known, { ...pins, knownSince: '2026-03-01T00:00:00.000Z' })])
      assert.equal(joined.knownSince, known.knownSince)
    assert.equal(joinPins(pins, known).knownSince, known.knownSince)
  })

  it('that were followed are taken for no other server’s', async () => {
    const moved = { ...pinsOf('one move'), movedTo: NEXT }
    tell({ [NAME]: documentsOf('one move') })
    await assert.rejects(auditServer(createCalls({ baseUrl: NAME, ...environment }), moved), { name: 'MovedAway' })
    for (const join of [() => joinPins(moved, pinsOf('one move')), () => joinPins(pinsOf('one move'), moved)])
      assert.throws(join, { name: 'MovedAway' })
  })
})
