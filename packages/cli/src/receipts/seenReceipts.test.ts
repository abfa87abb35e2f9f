import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { appendFile, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { parseAssetId, parseSha256Hex, type Sha256Hex } from '@blindkeep/protocol/ids'
import { createSeenLog } from './seenLog.ts'
import { noteReceipts, type SeenReceipt, seenReceipts } from './seenReceipts.ts'

const SERVER = 'https://keep.example'
const home = await mkdtemp(join(tmpdir(), 'blindkeep-seen-'))
after(() => rm(home, { recursive: true, force: true }))
const assetId = parseAssetId('6f1c3f5e-8d5e-4b6f-9a51-0d0f3f9f6a11') ?? assert.fail()

const hash = (): Sha256Hex => parseSha256Hex(randomBytes(32).toString('hex')) ?? assert.fail()
const at = (seconds: number) => `2026-11-25T03:00:${String(seconds).padStart(2, '0')}.000Z`

/** Each continues the one before it. */
function chain(count: number, before?: SeenReceipt): readonly SeenReceipt[] {
  const receipts: SeenReceipt[] = []
  for (let number = 1; number <= count; number += 1) {
    const previous = receipts.at(-1) ?? before
    const receipt_seq = (previous?.payload.receipt_seq ?? 0) + 1
    const payload = { server_id: SERVER, receipt_seq, received_at: at(receipt_seq) }
    receipts.push({ hash: hash(), payload: { ...payload, prior_receipt_hash: previous?.hash }, assetId })
  }
  return receipts
}

describe('receipts that were seen', () => {
  it('are read back after half a line of a power cut, and by several writers at once', async () => {
    const [one, ...others] = chain(20)
    assert.ok(one)
    await noteReceipts(home, SERVER, [one])
    const [name = ''] = (await readdir(join(home, 'servers'))).filter((file) => file.endsWith('.receipts'))
    await appendFile(join(home, 'servers', name), `2 ${'ab'.repeat(20)}`)
    assert.deepEqual(await seenReceipts(home, SERVER), [one])
    await Promise.all(others.map((receipt) => noteReceipts(home, SERVER, [receipt])))
    const seen = await seenReceipts(home, SERVER)
    assert.deepEqual(
      seen.toSorted((a, b) => a.payload.receipt_seq - b.payload.receipt_seq),
      [one, ...others],
    )
    await appendFile(join(home, 'servers', name), 'damaged\n')
    await assert.rejects(seenReceipts(home, SERVER), /is damaged/)
    assert.deepEqual(await seenReceipts(home, 'https://other.example'), [])
  })
})

describe('the log of receipts that were seen', () => {
  const [first, second, third] = chain(3)
  assert.ok(first && second && third)

  it('has no contradiction in one chain, also with gaps and repeats', () => {
    const log = createSeenLog([first, third, first])
    assert.deepEqual([log.found, log.forks([]), log.add(second), log.forks([])], [[], [], [], []])
    assert.deepEqual([log.isNew(second), log.isNew({ ...second, assetId: undefined })], [false, false])
    assert.ok(log.isNew({ ...second, hash: hash() }))
  })

  it('finds another receipt under the same number, in what was seen and in what is seen now', () => {
    const other = { ...second, hash: hash() }
    assert.deepEqual(
      createSeenLog([first, second, other]).found.map(({ reason, seen }) => [reason, seen]),
      [['two_receipts', [second, other]]],
    )
    assert.equal(createSeenLog([first, second]).add(other)[0]?.reason, 'two_receipts')
  })

  it('finds a fork between neighbours, and a time that goes back across a gap', () => {
    const [forked = assert.fail()] = chain(1, { ...second, hash: hash() })
    const late = { ...third, payload: { ...third.payload, receipt_seq: 9, received_at: at(0) } }
    for (const wrong of [forked, late])
      assert.deepEqual(
        createSeenLog([first, second, wrong])
          .forks([])
          .map(({ reason, seen }) => [reason, seen]),
        [['chain_forked', [second, wrong]]],
      )
  })

  it('finds a receipt that has vanished from a file that still lives', () => {
    const log = createSeenLog([first, second, third])
    assert.deepEqual(log.vanished(assetId, [first, second, third]), [])
    assert.deepEqual(
      log.vanished(assetId, [first, third]).map(({ reason, seen }) => [reason, seen]),
      [['receipt_vanished', [second]]],
    )
  })
})
