import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { largestPlaintext } from '@blindkeep/client/sizes'
import { type LinkDraft, PRESETS, readDraft, suggestPassphrase, withPreset } from './linkDraft.ts'

const NOW_MS = Date.parse('2026-11-21T12:00:00Z')
const DAY_MS = 86_400_000
const draft = (change: Partial<LinkDraft> = {}): LinkDraft => ({ ...PRESETS.anyone, ...change })
const read = (change: Partial<LinkDraft> = {}) => readDraft(draft(change), NOW_MS)

describe('a new link', () => {
  it('can be created from every preset without changes', () => {
    for (const preset of Object.values(PRESETS)) assert.deepEqual(readDraft(preset, NOW_MS).faults, {})
    assert.equal(readDraft(PRESETS.one, NOW_MS).link?.singleUse, true)
    assert.equal(readDraft(PRESETS.standing, NOW_MS).link?.expiresAt, undefined)
  })

  it('keeps label and passphrase when another preset is chosen', () => {
    const kept = withPreset(draft({ label: 'Anna', passphrase: 'x-y', maxFiles: '3' }), 'one')
    assert.deepEqual([kept.label, kept.passphrase, kept.maxFiles, kept.singleUse], ['Anna', 'x-y', '', true])
  })

  it('ends the chosen number of days from now, or at the end of the chosen day', () => {
    assert.equal(read({ expiry: 'day' }).link?.expiresAt, new Date(NOW_MS + DAY_MS).toISOString())
    assert.equal(read({ expiry: 'month' }).link?.expiresAt, new Date(NOW_MS + 30 * DAY_MS).toISOString())
    const ends = new Date(read({ expiry: 'date', date: '2026-12-24' }).link?.expiresAt ?? '')
    assert.deepEqual([ends.getDate(), ends.getHours(), ends.getMinutes()], [24, 23, 59])
  })

  it('can’t end on a past or invalid day', () => {
    for (const date of ['', '2026-11-19', '2026-13-01', 'tomorrow'])
      assert.deepEqual(read({ expiry: 'date', date }).faults, { date: 'date' }, date)
  })

  it('accepts files of exactly the typed size, although sealing makes them larger', () => {
    const { caps } = read({ maxFileSize: { amount: '1.5', unit: 'GB' } }).link ?? {}
    assert.equal(largestPlaintext(caps?.maxFileSize ?? 0), 1.5e9)
  })

  it('names the field with an invalid number', () => {
    const none = { amount: '-1', unit: 'MB' } as const
    assert.deepEqual(read({ maxFiles: '0' }).faults, { maxFiles: 'number' })
    assert.deepEqual(read({ maxFiles: '1.5' }).faults, { maxFiles: 'number' })
    assert.deepEqual(read({ maxTotal: none, maxFileSize: none }).faults, { maxTotal: 'total', maxFileSize: 'size' })
    assert.deepEqual(read({ maxFileSize: { amount: '11', unit: 'GB' } }).faults, { maxFileSize: 'larger_than_total' })
  })

  it('has a total limit in every preset, and none only if that is chosen', () => {
    for (const preset of Object.values(PRESETS))
      assert.equal(typeof readDraft(preset, NOW_MS).link?.caps?.maxTotalBytes, 'number')
    const empty = { amount: ' ', unit: 'GB' } as const
    assert.deepEqual(read({ maxTotal: empty }).faults, { maxTotal: 'total' })
    for (const maxTotal of [empty, { amount: '-1', unit: 'MB' } as const])
      assert.equal(read({ maxTotal, noTotalLimit: true }).link?.caps?.maxTotalBytes, 'unlimited')
  })

  it('has no limit for another empty field', () => {
    const { link } = readDraft({ ...PRESETS.standing, maxFileSize: { amount: ' ', unit: 'GB' } }, NOW_MS)
    assert.deepEqual([link?.caps?.maxFileCount, link?.caps?.maxFileSize], [undefined, undefined])
    assert.ok(link !== undefined && !('label' in link) && !('passphrase' in link))
  })

  it('for one file has no limits that contradict it', () => {
    const { link } = read({ singleUse: true, maxFiles: 'many' })
    assert.equal(link?.caps?.maxFileCount, undefined)
  })
})

describe('a suggested passphrase', () => {
  it('is easy to read aloud, and uses all characters equally often', () => {
    let byte = 0
    const counting = (count: number) => Uint8Array.from({ length: count }, () => byte++ % 256)
    const seen = new Map<string, number>()
    for (let round = 0; round < 31 * 8; round++) {
      const passphrase = suggestPassphrase(counting)
      assert.match(passphrase, /^(?:[a-hjkmnp-z2-9]{4}-){3}[a-hjkmnp-z2-9]{4}$/)
      for (const character of passphrase.replaceAll('-', '')) seen.set(character, (seen.get(character) ?? 0) + 1)
    }
    assert.equal(seen.size, 31)
    assert.equal(new Set(seen.values()).size, 1)
  })
})
