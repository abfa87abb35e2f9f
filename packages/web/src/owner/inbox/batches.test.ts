import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { FileDescription } from '@blindkeep/client/owner'
import { parseDropId, parseOpaqueId } from '@blindkeep/protocol/ids'
import { assertLinear } from '../../../../../testing/linear.ts'
import { batchIdOf, type DropBatch, entriesOf } from './batches.ts'
import { nearbyDrops } from './batchReading.ts'
import type { ListedDrop } from './dropList.ts'

const LINK = '0'.repeat(32)
const ID = 'ab'.repeat(16)

interface Given extends Partial<FileDescription> {
  readonly link?: string
  readonly isUnread?: boolean
}

let made = 0
function drop({ link = LINK, isUnread = false, ...facts }: Given = {}): ListedDrop {
  const dropId = parseDropId(`00000000-0000-4000-8000-${String(made++).padStart(12, '0')}`)
  const opaqueId = parseOpaqueId(link)
  assert.ok(dropId && opaqueId)
  const known = { dropId, opaqueId, ciphertextHash: '', sealedBytes: 2000, kemCt: '', adopting: false }
  const listed = { ...known, receivedAt: '2026-03-01T10:20:30.456Z' }
  if (isUnread) return listed
  const empty = { safeName: undefined, type: undefined, note: undefined, sender: undefined, modifiedAt: undefined }
  return { ...listed, file: { ...empty, name: `${made}`, size: 10, ...facts } }
}
const inBatch = (index?: number, count?: number, facts: Given = {}) =>
  drop({ ...facts, batch: { id: ID, index, count } })

function batchIn(drops: readonly ListedDrop[]): DropBatch {
  const batches = entriesOf(drops).flatMap((entry) => (entry.is === 'batch' ? [entry.batch] : []))
  const [batch, ...others] = batches
  assert.ok(batch && others.length === 0, `${batches.length} batches`)
  return batch
}

const shape = (drops: readonly ListedDrop[]) =>
  entriesOf(drops).map((entry) => (entry.is === 'drop' ? 1 : entry.batch.items.length))

describe('the entries of an inbox', () => {
  it('have a batch where its newest file is, in the order of the guest, and other files as they are', () => {
    const [third, first, last] = [inBatch(2, 3), inBatch(0, 3), inBatch()]
    const drops = [drop(), third, drop({ isUnread: true }), last, first, drop()]
    assert.deepEqual(shape(drops), [1, 3, 1, 1])
    const batch = batchIn(drops)
    assert.deepEqual(batch.items, [first, third, last])
    assert.deepEqual([batch.size, batch.announced], [30, undefined])
  })

  it('have a file that is alone in its batch as any other file', () => {
    assert.deepEqual(shape([inBatch(0, 40), drop()]), [1, 1])
  })

  it('have no batch across links, senders, notes or answers, whatever its id is', () => {
    const fields = [['Topic', 'Invoice']] as const
    const said = [{ sender: 'Ada' }, { note: 'x' }, { sender: 'Ada', note: 'x' }, { fields }, { fields: [] }]
    const words: readonly Given[] = [{}, { link: '1'.repeat(32) }, ...said]
    assert.deepEqual(
      shape([...words, ...words].map((facts) => inBatch(0, 2, facts))),
      words.map(() => 2),
    )
  })

  it('say how many files were announced only if all agree, and if it is more than there are', () => {
    const announced = (...counts: readonly (number | undefined)[]) =>
      batchIn(counts.map((count) => inBatch(0, count))).announced
    assert.equal(announced(40, 40), 40)
    assert.equal(announced(40, 41), undefined)
    assert.equal(announced(40, undefined), undefined)
    assert.equal(announced(2, 2), undefined)
    assert.equal(announced(1, 1), undefined)
  })

  it('keep the key of a batch while files come and go', () => {
    const files = [inBatch(0), inBatch(1), inBatch(2)]
    const { key } = batchIn(files)
    assert.equal(batchIn([inBatch(9), ...files, inBatch(3)]).key, key)
    assert.equal(batchIn(files.slice(1)).key, key)
  })

  const hostile: Readonly<Record<string, (place: number) => ListedDrop>> = {
    'files that all claim the same position': () => inBatch(0, 1_000_000, { note: 'n' }),
    'files of one id with a sender each': (place) => inBatch(0, 7, { sender: `${place}` }),
    'files of one id with a note each': (place) => inBatch(0, 7, { note: `${place}` }),
    'files with an id each': (place) => drop({ batch: { id: String(place).padStart(32, '0') } }),
    'unread files': () => drop({ isUnread: true }),
  }
  for (const [shape, make] of Object.entries(hostile))
    it(`take no longer than their number for ${shape}`, async () => {
      const input = (size: number) => Array.from({ length: Math.ceil(size / 100) }, (_, place) => make(place))
      const wanted = new Set([batchIdOf(inBatch(0)) ?? ''])
      await assertLinear({ input, run: (drops) => [entriesOf(drops), nearbyDrops(drops, wanted)] })
    })
})

describe('the files that may belong to a batch', () => {
  const unread = (link = LINK) => drop({ isUnread: true, link })
  const known = inBatch(5, 40)
  const wanted = new Set([batchIdOf(known) ?? ''])
  const found = (drops: readonly ListedDrop[]) => drops.filter((one) => nearbyDrops(drops, wanted).has(one))

  it('are the unread ones of its link beside those that are known', () => {
    const other = '1'.repeat(32)
    const [before, after] = [unread(), unread()]
    assert.deepEqual(found([unread(other), before, drop(), known, unread(other), after]), [before, after])
  })

  it('are none behind many that do not belong to it', () => {
    const others = Array.from({ length: 20 }, () => drop())
    assert.deepEqual(found([unread(), ...others, known, ...others, unread()]), [])
  })

  it('are none if all are there, and as many as for any other if the count is a lie', () => {
    const complete = [inBatch(0, 2), inBatch(1, 2)]
    assert.deepEqual(found([unread(), ...complete, unread()]), [])
    const many = Array.from({ length: 100 }, () => unread())
    assert.equal(found([...many, inBatch(0, 1_000_000), ...many]).length, found([...many, inBatch(0), ...many]).length)
  })
})
