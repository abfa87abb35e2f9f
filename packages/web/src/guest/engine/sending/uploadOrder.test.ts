import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { SendState } from '@blindkeep/client/guest'
import { sourceOfBytes } from '@blindkeep/client/source'
import { createEntries, type NewEntry } from '../entries/entries.ts'
import { createUploadOrder } from './uploadOrder.ts'

const PREPARED = {} as SendState
const BEGUN = { uploadId: 'x' } as SendState

function orderOf(given: readonly Partial<NewEntry>[], { canCreate = true, busy = [] as string[] } = {}) {
  const entries = createEntries(() => undefined)
  given.forEach((change, index) => {
    const id = String(index)
    const file = { id, name: id, folder: '', size: 1, lastModified: 0, totalBytes: 1 }
    entries.add({ ...file, phase: 'waiting', source: sourceOfBytes(new Uint8Array(1)), ...change })
  })
  const order = createUploadOrder({ entries, isBusy: (id) => busy.includes(id), canCreate: () => canCreate })
  return { prepare: order.nextToPrepare()?.id, send: order.nextToSend()?.id }
}

describe('the order of uploads', () => {
  it('prepares and sends the first file that waits', () => {
    assert.deepEqual(orderOf([{ phase: 'paused' }, {}, {}]), { prepare: '1', send: undefined })
    assert.deepEqual(orderOf([{}, { state: PREPARED }, { state: PREPARED }]), { prepare: '0', send: '1' })
  })

  it('skips files that have a job, back off, or have no source', () => {
    const waiting = { state: PREPARED }
    const given = [waiting, { ...waiting, isBackingOff: true }, { ...waiting, source: undefined }, waiting]
    assert.equal(orderOf(given, { busy: ['0'] }).send, '3')
  })

  it('compares a file that was chosen again before it is sent', () => {
    assert.deepEqual(orderOf([{ state: BEGUN, mustCompare: true }]), { prepare: '0', send: undefined })
  })

  it('continues existing sessions when no new one can be created', () => {
    const given = [{}, { state: PREPARED }, { state: BEGUN }]
    assert.deepEqual(orderOf(given, { canCreate: false }), { prepare: undefined, send: '2' })
  })

  it('prepares at most three files ahead', () => {
    const prepared = Array.from({ length: 3 }, () => ({ state: PREPARED }))
    assert.equal(orderOf([...prepared.slice(1), {}]).prepare, '2')
    assert.equal(orderOf([...prepared, {}]).prepare, undefined)
  })
})
