/** Receipts of a server that has had several names, and what it says about these. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { decodeReceipt, readReceipt } from '@blindkeep/protocol/receipt'
import vectors from '../../../../vectors/moves.json' with { type: 'json' }
import { createCalls } from '../http/call.ts'
import {
  type Documents,
  documentsOf,
  HOME,
  listsOf,
  NAME,
  NEXT,
  NOT_MOVED,
  pinsOf,
  startScriptedServers,
  statement,
} from '../testing/scriptedServers.ts'
import { openAudit } from './assetReceipts.ts'
import { auditServer, openReceipt } from './audit.ts'
import { AuditError, type AuditReason } from './auditError.ts'
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
const receiptNamed = (name: string) =>
  decodeReceipt(bytesOf((vectors.receipts.judged.find((one) => one.name === name) ?? assert.fail(name)).receipt_cbor))

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
    const { receipt_cbor } =
      vectors.receipts.judged.find(({ name }) => name === 'the first under the second name') ?? assert.fail()
    const receipt = readReceipt(bytesOf(receipt_cbor))
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
  const audit = (name: string, { pinned, named, ...scripted }: Audit = {}) => {
    const { server_id: serverId } = listsOf(name).keys
    tell({ [serverId]: { ...documentsOf(name), ...scripted.documents } })
    return auditServer(createCalls({ baseUrl: serverId, ...environment }), pinned, named)
  }
  interface Audit {
    readonly pinned?: PinnedKeys
    readonly named?: readonly string[]
    readonly documents?: Documents
  }
  const timesAsked = () => asked.filter(({ url }) => url.endsWith('/moves')).length
  const MOVES = '/.well-known/service/moves'
  const newestReceipt = receiptNamed('the last under the first name')

  it('is asked for its statements only where another name is known', async () => {
    for (const more of [{}, { named: [NEXT] }, { pinned: knowing('two moves and a rotation') }]) {
      await audit('two moves and a rotation', more)
      assert.equal(timesAsked(), 0)
    }
    const { keys } = await audit('two moves and a rotation', { named: [NEXT, NAME] })
    assert.equal(timesAsked(), 1)
    assert.deepEqual(keys.keyChanges, knowing('two moves and a rotation').keyChanges)
    assert.deepEqual(parsePins(JSON.parse(JSON.stringify(keys))), keys)
    await audit('two moves and a rotation', { pinned: { ...pinsOf('two moves and a rotation'), newestReceipt } })
    assert.equal(timesAsked(), 1)
  })

  it('is asked again once it has a new key', async () => {
    const { keys } = await audit('a move and a rotation', { pinned: knowing('one move') })
    assert.equal(timesAsked(), 1)
    assert.deepEqual(keys.keyChanges, knowing('a move and a rotation').keyChanges)
  })

  it('may hide or change no statement that was seen', async () => {
    const pinned = knowing('one move')
    const hidden = { [MOVES]: NOT_MOVED }
    await assert.rejects(audit('a move and a rotation', { pinned, documents: hidden }), hasReason('moves_vanished'))
    const { changes } = listsOf('a move and a rotation')
    const changed = { [MOVES]: { json: { ...changes, moves: [statement('before any receipt')] } } }
    await assert.rejects(audit('a move and a rotation', { pinned, documents: changed }), hasReason('moves_vanished'))
  })

  it('may not name another server in them, nor show no move', async () => {
    const { changes } = listsOf('one move')
    const scripted = (more: object) => ({ [MOVES]: { json: { ...changes, ...more } } })
    const named = [HOME]
    await assert.rejects(
      audit('one move', { named, documents: scripted({ server_id: NEXT }) }),
      hasReason('wrong_server'),
    )
    await assert.rejects(audit('one move', { named, documents: scripted({ moves: [] }) }), hasReason('moves_malformed'))
    const false2 = scripted({ moves: [statement('a first move with number 2')] })
    await assert.rejects(audit('one move', { named, documents: false2 }), hasReason('moves_malformed'))
  })

  it('may not say one thing to one check and another to the next, at the same time', async () => {
    tell({ [HOME]: documentsOf('one key', { moves: NOT_MOVED }) })
    const audit = await openAudit(createCalls({ baseUrl: HOME, ...environment }))
    const [first, second, third] = listsOf('two moves and a rotation').keys.keys
    const rotated = (next: object = {}) => ({ server_id: HOME, keys: [first, { ...second, ...next, active_to: null }] })
    const scripted = [rotated(), rotated({ key_id: third?.key_id, public: third?.public })]
    const receipt = readReceipt(
      bytesOf(vectors.receipts.judged.find(({ name }) => name === 'of a third server')?.receipt_cbor ?? ''),
    )
    tell({ [HOME]: documentsOf('one key', { keys: () => ({ json: scripted.shift() }), moves: NOT_MOVED }) })
    const checks = await Promise.allSettled([audit.checkKept(receipt), audit.checkKept(receipt)])
    const reasons = checks.map((check) => check.status === 'rejected' && check.reason.reason)
    assert.deepEqual(reasons.sort(), ['key_vanished', 'wrong_server'])
  })

  it('is asked twice if its lists do not fit, as behind a cache, and that is no alarm', async () => {
    const { changes } = listsOf('one move')
    const documents = { [MOVES]: { json: { ...changes, moves: [...changes.moves, statement('to the next name')] } } }
    await assert.rejects(audit('one move', { named: [HOME], documents }), { name: 'AnswerError' })
    assert.equal(timesAsked(), 2)
  })
})

describe('pins of a server that has moved', () => {
  it('keep its statements when two processes have seen it', () => {
    const [less, more] = [knowing('one move'), pinsOf('a move and a rotation')]
    assert.deepEqual(joinPins(less, more).keyChanges, less.keyChanges)
    assert.deepEqual(joinPins(more, less).keyChanges, less.keyChanges)
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
