import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Source, sourceOfBytes } from '@blindkeep/client/source'
import { utf8 } from '@blindkeep/protocol/bytes'
import { createEntries, type NewEntry } from '../entries/entries.ts'
import { createRequirements } from './requirements.ts'

const file = (name: string, change: Partial<NewEntry> = {}): NewEntry => ({
  ...{ id: name, name, folder: '', size: 10, lastModified: 0, totalBytes: 100 },
  ...change,
})
const QUESTIONS = [{ label: 'Matter', kind: 'text', required: true, most: undefined }] as const
const answered = { note: '', sender: '', answers: [['Matter', '1']] as const }

function asking(link: Parameters<typeof createRequirements>[1]) {
  const entries = createEntries(() => undefined)
  return { entries, requirements: createRequirements(entries, link) }
}

describe('what the owner of a link asks for', () => {
  it('holds back what was sent without the answers before the link was open, and nothing that is sealed', () => {
    let link: ReturnType<Parameters<typeof createRequirements>[1]>
    const { entries, requirements } = asking(() => link)
    entries.add(file('without', { phase: 'waiting', isBackingOff: true }))
    entries.add(file('paused', { phase: 'paused' }))
    entries.add(file('with', { phase: 'waiting', message: answered }))
    requirements.holdBack()
    const phases = () => Object.fromEntries([...entries.all()].map(({ id, phase }) => [id, phase]))
    assert.deepEqual(phases(), { without: 'waiting', paused: 'paused', with: 'waiting' })
    link = { questions: QUESTIONS, fileKinds: undefined }
    requirements.holdBack()
    assert.deepEqual(phases(), { without: 'chosen', paused: 'chosen', with: 'waiting' })
    assert.equal(entries.get('without')?.isBackingOff, false)
  })

  it('is no other kind of file, by the name at once, and by the content of the first ones after a look', async () => {
    const { entries, requirements } = asking(() => ({ questions: undefined, fileKinds: ['pdf', 'txt'] }))
    const gone: Source = { ...sourceOfBytes(utf8('gone')), read: () => Promise.reject(new Error('gone')) }
    entries.add(file('a.pdf', { source: sourceOfBytes(utf8('%PDF-1.7')) }))
    entries.add(file('b.pdf', { source: sourceOfBytes(utf8('MZ')) }))
    entries.add(file('c.txt', { source: sourceOfBytes(utf8('MZ')) }))
    entries.add(file('d.pdf', { source: gone }))
    entries.add(file('e.exe', { phase: 'waiting' }))
    const misfits = () => [...entries.all()].map((entry) => requirements.misfitOf(entry))
    assert.deepEqual(misfits(), [undefined, undefined, undefined, undefined, 'wrong_kind'])
    await requirements.look()
    assert.deepEqual(misfits(), [undefined, 'wrong_content', undefined, undefined, 'wrong_kind'])
    assert.equal(await requirements.hasWrongContent('b.pdf', sourceOfBytes(utf8('MZ'))), true)
    requirements.holdBack()
    assert.deepEqual([entries.get('e.exe')?.phase, entries.get('e.exe')?.failure], ['unfit', 'wrong_kind'])
  })
})
