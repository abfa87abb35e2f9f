/** Keys from a file, with the statements of a server that has moved, and the steps that a receipt of it passes. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fromBase64 } from '@blindkeep/protocol/bytes'
import { readReceipt } from '@blindkeep/protocol/receipt'
import vectors from '../../../../vectors/moves.json' with { type: 'json' }
import { checkSigned } from '../opening/checkProof.ts'
import { parsePublishedKeys, publishedKeys } from './publishedKeys.ts'

type Claims = Omit<(typeof vectors.invalid)[number], 'reason'>

/** As a server answers, or as this client has saved it. */
function documentOf({ server_id, keys, moves, rotations }: Claims) {
  const publicOf = (id: string) => vectors.keys.find(({ key_id }) => key_id === id)?.public
  const statementOf = (wanted: string) => vectors.statements.find(({ name }) => name === wanted)
  const algorithm = 'hybrid-ed25519-mldsa65'
  const lists = { moves: moves.map(statementOf), rotations: rotations.map(statementOf) }
  return { server_id, keys: keys.map((key) => ({ algorithm, ...key, public: publicOf(key.key_id) })), ...lists }
}

const valid = (wanted: string) => vectors.valid.find(({ name }) => name === wanted) ?? assert.fail(wanted)

describe('published keys from a file', () => {
  it('are read with the statements of a server that has moved, and saved again as they are', async () => {
    for (const claims of vectors.valid) {
      const read = await parsePublishedKeys(documentOf(claims))
      assert.equal(read.keys.length, claims.keys.length, claims.name)
      assert.deepEqual(await parsePublishedKeys(JSON.parse(JSON.stringify(publishedKeys(read)))), read)
    }
  })

  it('are refused with statements that do not hold', async () => {
    for (const claims of vectors.invalid) await assert.rejects(parsePublishedKeys(documentOf(claims)), claims.name)
  })

  it('judge receipts of all names of the server, each fault at its step', async () => {
    const keys = await parsePublishedKeys(documentOf(valid(vectors.receipts.of)))
    const steps = { other_server: 'server', outside_era: 'key', head_differs: 'key', key_unknown: 'key' } as const
    for (const { name, receipt_cbor, fault } of vectors.receipts.judged) {
      const receipt = readReceipt(fromBase64(receipt_cbor))
      const checking = checkSigned({ receipt, file: undefined, hintedKeys: undefined }, { keys })
      if (fault === null) await assert.doesNotReject(checking, name)
      else await assert.rejects(checking, { reason: steps[fault as keyof typeof steps] }, name)
    }
  })
})
