import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { nodeVerifiers } from '../../../testing/nodeVerifiers.ts'
import vectors from '../../../vectors/moves.json' with { type: 'json' }
import { fromBase64 } from './bytes.ts'
import { checkChain } from './chain.ts'
import { eraFault, readEras, type Succession } from './eras.ts'
import { parseKeyId } from './ids.ts'
import { MAX_MOVES, MAX_ROTATIONS } from './keyChange.ts'
import { decodeReceipt } from './receipt.ts'
import { known } from './testing/known.ts'

type Claims = Omit<(typeof vectors.invalid)[number], 'reason'>

const publicKeys = new Map(vectors.keys.map((key) => [key.key_id, fromBase64(key.public)]))

function statementOf(name: string) {
  const { leave, arrive } = known(vectors.statements.find((statement) => statement.name === name))
  return { leave: fromBase64(leave), arrive: fromBase64(arrive) }
}

function successionOf({ server_id, keys, moves, rotations }: Claims): Succession {
  return {
    serverId: server_id,
    keys: keys.map((key) => ({
      keyId: known(parseKeyId(key.key_id)),
      publicKey: known(publicKeys.get(key.key_id)),
      activeFrom: key.active_from,
      activeTo: 'active_to' in key ? key.active_to : undefined,
    })),
    moves: moves.map(statementOf),
    rotations: rotations.map(statementOf),
  }
}

const claims = (name: string) => successionOf(known(vectors.valid.find((one) => one.name === name)))
const read = (succession: Succession) => readEras({ ...succession, verify: nodeVerifiers })

describe('the eras of a server’s keys', () => {
  for (const { eras, ...one } of vectors.valid)
    it(`follow from its statements: ${one.name}`, async () => {
      const found = await read(successionOf(one))
      const shown = found.map(({ keyId, serverId, after, afterHash, upTo, upToHash, until }) => ({
        key_id: keyId,
        server_id: serverId,
        after,
        after_hash: afterHash ?? null,
        up_to: upTo ?? null,
        up_to_hash: upToHash ?? null,
        until: until ?? null,
      }))
      assert.deepEqual(shown, eras)
    })

  for (const { reason, ...one } of vectors.invalid)
    it(`do not follow, for ${reason}: ${one.name}`, async () => {
      await assert.rejects(read(successionOf(one)), { name: 'KeyChangeError', reason })
    })

  it('need the signatures of both keys', async () => {
    const given = claims('two moves and a rotation')
    for (const refused of [0, 1, 2, 3, 4, 5]) {
      let asked = 0
      const verify = { ed25519: () => true, mlDsa65: () => asked++ !== refused }
      await assert.rejects(readEras({ ...given, verify }), { reason: 'ml_dsa_65_invalid' })
    }
  })

  it('do not follow from a list with a key twice, or from more statements than a server may make', async () => {
    const given = claims('one move')
    const [first] = given.keys
    await assert.rejects(read({ ...given, keys: [...given.keys, known(first)] }), { reason: 'key_repeated' })
    for (const [list, most] of [
      ['moves', MAX_MOVES],
      ['rotations', MAX_ROTATIONS],
    ] as const) {
      const more = Array.from({ length: most + 1 }, () => known(given.moves[0]))
      await assert.rejects(read({ ...given, [list]: more }), { reason: 'too_many' })
    }
  })

  it('that were read before are not verified again, and only they', async () => {
    const before = await read(claims('a move and a rotation'))
    let verified = 0
    const counting = { ed25519: () => true, mlDsa65: () => ++verified > 0 }
    const given = claims('away and back again')
    const now = await readEras({ ...given, verify: counting, known: before })
    assert.equal(verified, 2)
    assert.deepEqual(now, await read(given))
    verified = 0
    const others = before.map((era) => ({ ...era, statement: before[2]?.statement }))
    await readEras({ ...given, verify: counting, known: others })
    assert.equal(verified, 4)
  })
})

describe('a receipt of a server that has moved', async () => {
  const eras = await read(claims(vectors.receipts.of))

  for (const { name, receipt_cbor, fault } of vectors.receipts.judged)
    it(`${fault === null ? 'counts' : `does not count, for ${fault}`}: ${name}`, () => {
      assert.equal(eraFault(decodeReceipt(fromBase64(receipt_cbor)), eras), fault ?? undefined)
    })

  it('is in a chain with others where the moves between them lead from name to name', () => {
    const moves = vectors.receipts.moves.map(({ last_receipt_seq, ...names }) => ({
      ...names,
      lastReceiptSeq: last_receipt_seq,
    }))
    for (const chain of vectors.receipts.chains) {
      const receipts = chain.receipts.map((text) => decodeReceipt(fromBase64(text)))
      assert.deepEqual(checkChain(receipts, { moves }) ?? null, chain.break, chain.name)
    }
  })
})
