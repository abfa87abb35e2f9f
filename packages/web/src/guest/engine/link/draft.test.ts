import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createEntries, type Entries, NO_MESSAGE } from '../entries/entries.ts'
import { createMemoryStore } from '../store/guestStore.ts'
import { createDraft } from './draft.ts'

const DAY_MS = 86_400_000
const linkId = 'link'
const written = {
  note: 'From the lake',
  sender: 'Ada',
  answers: [
    ['Matter', ' 1 '],
    ['Day', ''],
  ] as const,
}
const file = (id: string) => ({ id, name: id, folder: '', size: 1, lastModified: 0, totalBytes: 1 })
const planned = { ...file('planned'), linkId, visitId: 'other', keptAt: 0 }

/** A visit of the page, without its network. */
async function visit(store = createMemoryStore()) {
  const draft = createDraft({ linkId, store, entries: () => entries, nowMs: () => 0 })
  const entries: Entries = createEntries(draft.follow)
  await draft.load()
  const ofNextVisit = async () => {
    // The store in memory writes before the next macrotask.
    await new Promise(setImmediate)
    return (await visit(store)).draft.message()
  }
  return { draft, entries, store, ofNextVisit }
}

describe('what the guest has written', () => {
  it('is there after a reload, as it was typed last, until it is deleted', async () => {
    const { draft, ofNextVisit } = await visit()
    draft.write({ ...written, note: 'From' })
    draft.write(written)
    assert.deepEqual(await ofNextVisit(), written)
    draft.write({ note: '', sender: '' })
    assert.deepEqual(await ofNextVisit(), NO_MESSAGE)
  })

  it('is forgotten when the last file has arrived, and not before; this visit still has it for more files', async () => {
    const { draft, entries, ofNextVisit } = await visit()
    entries.add({ ...file('a'), phase: 'sending' })
    entries.add({ ...file('b'), phase: 'waiting' })
    draft.write(written)
    entries.change('a', { phase: 'landed' })
    assert.deepEqual(await ofNextVisit(), written)
    entries.change('b', { phase: 'landed' })
    assert.deepEqual(await ofNextVisit(), NO_MESSAGE)
    assert.deepEqual(draft.message(), written)
    const turn = draft.turn()
    draft.forget()
    assert.deepEqual(draft.message(), NO_MESSAGE)
    assert.notEqual(draft.turn(), turn)
  })

  it('stays while a file is unfinished that this visit does not send, and while files are only chosen', async () => {
    const { draft, entries, store, ofNextVisit } = await visit()
    await store.changePlanned({ put: [planned], remove: [] })
    entries.add({ ...file('a'), phase: 'sending' })
    draft.write(written)
    entries.change('a', { phase: 'landed' })
    assert.deepEqual(await ofNextVisit(), written)
    await store.changePlanned({ put: [], remove: ['planned'] })
    entries.add(file('b'))
    entries.remove('b')
    assert.deepEqual(await ofNextVisit(), written, 'the guest chooses another file')
    await draft.forgetIfDone()
    assert.deepEqual(await ofNextVisit(), NO_MESSAGE)
  })

  it('stays when another tab has written it for files of its own', async () => {
    const { draft, entries, store, ofNextVisit } = await visit()
    entries.add({ ...file('a'), phase: 'sending' })
    draft.write({ ...written, note: 'In the first tab' })
    const { draft: other } = await visit(store)
    other.write(written)
    entries.change('a', { phase: 'landed' })
    assert.deepEqual(await ofNextVisit(), written)
  })

  it('is too old after a day, and after seven while files are unfinished', async () => {
    const { draft, store, ofNextVisit } = await visit()
    draft.write(written)
    await store.changePlanned({ put: [{ ...planned, keptAt: DAY_MS }], remove: [] })
    await store.sweep(2 * DAY_MS)
    assert.deepEqual(await ofNextVisit(), written)
    await store.changePlanned({ put: [], remove: ['planned'] })
    await store.sweep(DAY_MS)
    assert.deepEqual(await ofNextVisit(), written)
    await store.sweep(2 * DAY_MS)
    assert.deepEqual(await ofNextVisit(), NO_MESSAGE)
    draft.write(written)
    await store.sweep(-DAY_MS)
    assert.deepEqual(await ofNextVisit(), written)
    await store.sweep(-2 * DAY_MS)
    assert.deepEqual(await ofNextVisit(), NO_MESSAGE, 'the clock was ahead when it was written')
  })
})
