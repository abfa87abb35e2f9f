/** A client follows no server that cannot prove to be the one that it knows: each of the checks refuses once. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { decodeReceipt } from '@blindkeep/protocol/receipt'
import type { KeyChangeResponse } from '@blindkeep/protocol/schemas/discovery'
import { flipInBase64 } from '../../../../testing/maliciousServer.ts'
import vectors from '../../../../vectors/moves.json' with { type: 'json' }
import {
  type Documents,
  documentsOf,
  HOME,
  listsOf,
  NAME,
  NEXT,
  NO_STATEMENTS,
  pinsOf,
  type Scripted,
  startScriptedServers,
  statement,
} from '../testing/scriptedServers.ts'
import { MovedAway } from './movedAway.ts'
import { MoveError, type MoveFault } from './moveError.ts'
import type { PinnedKeys } from './pinnedKeys.ts'
import { pinReceipts } from './pins.ts'
import { alsoLeft, prepareMove } from './prepareMove.ts'

/** HOME → NAME, a rotation there, NAME → NEXT. */
const TWICE = 'two moves and a rotation'
const { environment, asked, tell } = await startScriptedServers()

interface Case {
  readonly from?: string
  readonly to?: string
  readonly pinned?: PinnedKeys
  /** What the servers answer at each origin. */
  readonly old?: Documents
  readonly next?: Documents
}

/** A client of NAME, which has seen it with its first key there, goes to NEXT. */
function follow({ from = NAME, to = NEXT, pinned = pinsOf('one move'), old, next = documentsOf(TWICE) }: Case = {}) {
  tell({ [new URL(from).origin]: old ?? documentsOf(TWICE), [new URL(to).origin]: next })
  return prepareMove({ from, to, pinned, environment })
}

const isRefused = (reason: MoveFault) => (error: unknown) => error instanceof MoveError && error.reason === reason

const judged = vectors.receipts.judged
/** The place of a receipt of the golden log. */
function receiptNamed(name: string) {
  const { receipt_cbor } = judged.find((one) => one.name === name) ?? assert.fail(name)
  const { payload, hash } = decodeReceipt(Buffer.from(receipt_cbor, 'base64'))
  return { payload, hash }
}

const changedMoves = (change: (moves: KeyChangeResponse[]) => void): Scripted => {
  const { changes } = listsOf(TWICE)
  const moves = [...changes.moves]
  change(moves)
  return { json: { ...changes, moves } }
}

describe('a server that has moved', () => {
  it('is followed from the name at which it is known, over any number of moves, and its old name becomes a tombstone', async () => {
    const prepared = await follow()
    assert.deepEqual([prepared.from, prepared.to, prepared.between, prepared.old], [NAME, NEXT, [], { is: 'agrees' }])
    assert.deepEqual([prepared.pins.serverId, prepared.pins.keys.length], [NEXT, 4])
    assert.equal(prepared.tombstone.movedTo, NEXT)
    const twice = await follow({ from: HOME, pinned: pinsOf('one key') })
    assert.deepEqual([twice.between, twice.old], [[NAME], { is: 'without_tls' }])
    await assert.rejects(
      follow({ pinned: prepared.tombstone }),
      (error) => error instanceof MovedAway && error.from === NAME && error.to === NEXT,
    )
    assert.equal(asked.length, 0)
  })

  it('has left a name between, too, if what is remembered of that name is of this server', async () => {
    const move = await follow({ from: HOME, pinned: pinsOf('one key') })
    const between = pinsOf('one move')
    const newestReceipt = receiptNamed('the first under the second name')
    const left = await alsoLeft({ ...between, newestReceipt }, move)
    assert.deepEqual(left?.tombstone, { ...between, newestReceipt, movedTo: NEXT })
    assert.deepEqual(left?.pins, { ...move.pins, newestReceipt: pinReceipts(move.pins, [newestReceipt]).newestReceipt })
    const [key] = between.keys
    const other = { ...between, keys: [{ ...(key ?? assert.fail()), keyId: '0'.repeat(64) }] }
    const forked = receiptNamed('with the last number of its era, but another')
    for (const known of [other, { ...between, movedTo: HOME }, { ...between, newestReceipt: forked }])
      assert.equal(await alsoLeft(known, move), undefined)
  })

  it('is followed back to a name that it had before', async () => {
    const back = documentsOf('away and back again')
    const { pins } = await follow({
      from: NAME,
      to: HOME,
      pinned: pinsOf('a move and a rotation'),
      old: back,
      next: back,
    })
    assert.equal(pins.serverId, HOME)
    assert.equal(pins.movedTo, undefined)
  })

  it('is asked without a token, and so is what answers at its old name', async () => {
    await follow()
    assert.deepEqual(
      asked.map(({ url }) => url.replace('/.well-known/service', '')),
      [`${NEXT}/server-info`, `${NEXT}/attestation-keys`, `${NEXT}/moves`, `${NAME}/moves`],
    )
    for (const { headers } of asked) assert.deepEqual([...headers.keys()], [])
  })
})

describe('a server that claims to have moved', () => {
  it('is refused if nothing is known of it', async () => {
    await assert.rejects(follow({ pinned: pinsOf('one key') }), isRefused('not_known'))
    await assert.rejects(follow({ pinned: { serverId: NAME, keys: [] } }), isRefused('not_known'))
    await assert.rejects(follow({ to: `${NAME}/path` }), isRefused('never_moved'))
    assert.equal(asked.length, 0)
  })

  it('is refused if it names itself otherwise than its address', async () => {
    await assert.rejects(follow({ to: 'https://other.example' }), isRefused('other_server'))
    const { changes } = listsOf(TWICE)
    const info =
      Object.entries(documentsOf('a move and a rotation')).find(([path]) => path.endsWith('info'))?.[1] ?? assert.fail()
    await assert.rejects(follow({ next: documentsOf(TWICE, { info }) }), isRefused('other_server'))
    const other = documentsOf(TWICE, { moves: { json: { ...changes, server_id: NAME } } })
    await assert.rejects(follow({ next: other }), isRefused('other_server'))
  })

  it('is refused if its keys do not begin with the pinned ones', async () => {
    const pinned = pinsOf('one move')
    const keys = pinned.keys.map((key, index) => (index === 0 ? key : { ...key, keyId: '0'.repeat(64) }))
    await assert.rejects(follow({ pinned: { ...pinned, keys } }), isRefused('keys_differ'))
  })

  it('is refused if its statements do not begin with the pinned ones', async () => {
    const keyChanges = { moves: [statement('before any receipt')], rotations: [] }
    await assert.rejects(follow({ pinned: pinsOf('one move', { keyChanges }) }), isRefused('moves_differ'))
  })

  it('is refused if it says nothing of moves', async () => {
    const none = { json: { ...listsOf(TWICE).changes, moves: [] } }
    for (const moves of [NO_STATEMENTS, none])
      await assert.rejects(follow({ next: documentsOf(TWICE, { moves }) }), isRefused('never_moved'))
  })

  it('is refused if the newest pinned key is of a name that it had before, or after', async () => {
    // A relay at the former name has shown keys of a later one.
    for (const known of [pinsOf('one move'), pinsOf(TWICE)])
      for (const serverId of [HOME, 'https://bank.example'])
        await assert.rejects(follow({ from: serverId, pinned: { ...known, serverId } }), isRefused('not_from_there'))
  })

  it('is refused if one of the four signatures of a statement is wrong, or none is there', async () => {
    const bytes = (half: string) => Buffer.from(half, 'base64').length
    for (const half of ['leave', 'arrive'] as const)
      for (const fromEnd of [1, 3309 + 40]) {
        const moves = changedMoves((list) => {
          const last = list[1] ?? assert.fail()
          list[1] = { ...last, [half]: flipInBase64(last[half], bytes(last[half]) - fromEnd) }
        })
        await assert.rejects(follow({ next: documentsOf(TWICE, { moves }) }), isRefused('statement_invalid'))
      }
    const moves = changedMoves((list) => void list.pop())
    await assert.rejects(follow({ next: documentsOf(TWICE, { moves }) }), { name: 'AnswerError' })
  })

  it('is refused if a receipt that it has signed is not in the log that goes on', async () => {
    const newestReceipt = receiptNamed('the last under the first name')
    const pinned = pinsOf('one key', { newestReceipt })
    const [from, next] = [HOME, documentsOf(TWICE)]
    assert.equal((await follow({ from, next, pinned })).movedAt, '2026-03-02T00:00:00.000Z')
    const later = { ...newestReceipt, payload: { ...newestReceipt.payload, receipt_seq: 3 } }
    const otherwise = { ...newestReceipt, hash: receiptNamed('the first').hash }
    for (const receipt of [later, otherwise])
      await assert.rejects(follow({ from, pinned: { ...pinned, newestReceipt: receipt } }), isRefused('receipt_lost'))
    const first = receiptNamed('the first under the second name')
    await follow({ pinned: pinsOf('one move', { newestReceipt: first }) })
    const branched = { ...first, payload: { ...first.payload, prior_receipt_hash: first.hash } }
    await assert.rejects(follow({ pinned: pinsOf('one move', { newestReceipt: branched }) }), isRefused('receipt_lost'))
  })
})

describe('the old address of a server that has moved', () => {
  const answers: readonly (readonly [string, Scripted])[] = [
    ['it never moved', { json: { ...listsOf('one key').changes, server_id: NAME } }],
    ['it knows no statements', NO_STATEMENTS],
    ['nothing that it is asked for', { status: 404, json: {} }],
    ['another first statement', changedMoves((moves) => void moves.splice(1, 1, statement('back again')))],
    ['that it has another name now', { json: { ...listsOf(TWICE).changes, server_id: 'https://other.example' } }],
    ['another move before it', changedMoves((moves) => void moves.splice(0, 1, statement('before any receipt')))],
    ['one more move', changedMoves((moves) => void moves.push(statement('back again')))],
    ['a page', { json: 'for sale' }],
    ['the way to another address', { redirect: 'https://other.example/' }],
  ]
  for (const [says, moves] of answers)
    it(`contradicts if it answers ${says}, also below a path`, async () => {
      for (const below of ['', '/keep'])
        await assert.rejects(
          follow({ from: `${NAME}${below}`, old: documentsOf(TWICE, { below, moves }) }),
          isRefused('old_contradicts'),
        )
    })

  it('is named in plain characters wherever it leads', async () => {
    const leads = (redirect: string) => follow({ old: documentsOf(TWICE, { moves: { redirect } }) })
    await assert.rejects(leads('https://other.example/path'), /leads to https:\/\/other\.example$/)
    for (const host of ["other.example'$(x)", 'a'.repeat(300)])
      await assert.rejects(leads(`https://${host}/`), /leads to another address$/)
  })

  it('is asked below its path', async () => {
    const { old } = await follow({ from: `${NAME}/keep`, old: documentsOf(TWICE, { below: '/keep' }) })
    assert.deepEqual(old, { is: 'agrees' })
  })

  it('does not contradict if it leads to the new one, is away, or fails', async () => {
    const is = async (moves: Scripted) => (await follow({ old: documentsOf(TWICE, { moves }) })).old.is
    assert.equal(await is({ redirect: `${NEXT}/.well-known/service/moves` }), 'redirects')
    assert.equal(await is('silence'), 'silent')
    assert.equal(await is({ status: 502, json: {} }), 'silent')
    tell({ [NEXT]: documentsOf(TWICE) })
    assert.equal(
      (await prepareMove({ from: NAME, to: NEXT, pinned: pinsOf('one move'), environment })).old.is,
      'silent',
    )
  })
})
