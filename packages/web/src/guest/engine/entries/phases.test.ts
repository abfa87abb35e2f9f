import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createOtherTabs } from '../admission/otherTabs.ts'
import { createMemoryStore } from '../store/guestStore.ts'
import { createLockedUploads } from '../store/lockedUploads.ts'
import { createSoleLocks } from '../store/tabLocks.ts'
import { createEntries, type NewEntry } from './entries.ts'
import { become } from './phases.ts'
import { viewOf } from './snapshot.ts'

function entriesWith(change: Partial<NewEntry>) {
  const entries = createEntries(() => undefined)
  entries.add({ id: 'file', name: 'a', folder: '', size: 10, lastModified: 0, totalBytes: 100, ...change })
  return entries
}

describe('a file whose upload another tab has cancelled', () => {
  it('is cancelled here, and needs no confirmation before it is removed', async () => {
    const entries = entriesWith({ phase: 'failed', failure: 'other_tab', sentBytes: 40 })
    const [linkId, store, locks] = ['link', createMemoryStore(), createSoleLocks()]
    const uploads = createLockedUploads({ linkId, store, locks, nowMs: Date.now })
    const calls = { onReleased: async () => undefined, onReady: () => assert.fail('the upload no longer exists') }
    createOtherTabs({ linkId, entries, uploads, store, locks, ...calls })('file')
    await new Promise(setImmediate)
    const [row] = viewOf(entries).rows
    assert.deepEqual([row?.phase, row?.failure, row?.isBegun], ['cancelled', undefined, false])
  })
})

describe('the progress of a file', () => {
  const shownAfter = (before: Partial<NewEntry>, bytes: number) => {
    const entries = entriesWith({ phase: 'sending', ...before })
    entries.change('file', become.progressed('sending', bytes, entries.get('file') ?? assert.fail()))
    const { rows, totals } = viewOf(entries)
    return [rows[0]?.doneBytes, rows[0]?.arrivedBytes, totals.doneBytes]
  }

  it('stands still when the connection is cut, until more than before is on its way', () => {
    const cut = { sentBytes: 23, inFlightBytes: 46 }
    assert.deepEqual(shownAfter(cut, 23), [69, 23, 69])
    assert.deepEqual(shownAfter(cut, 50), [69, 50, 69])
    assert.deepEqual(shownAfter(cut, 80), [80, 80, 80])
  })

  it('falls when the server has less than it had acknowledged', () => {
    assert.deepEqual(shownAfter({ sentBytes: 50, inFlightBytes: 10 }, 20), [20, 20, 20])
  })
})

describe('a file that the guest cancels too late', () => {
  it('waits, and no longer shows that it is retrying', () => {
    const entries = entriesWith({ phase: 'sending', isRetrying: true, isBackingOff: true, failure: 'busy' })
    entries.change('file', become.tooLateToCancel())
    const { phase, isRetrying, isBackingOff, failure } = entries.get('file') ?? assert.fail()
    assert.deepEqual([phase, isRetrying, isBackingOff, failure], ['waiting', false, false, undefined])
  })
})
