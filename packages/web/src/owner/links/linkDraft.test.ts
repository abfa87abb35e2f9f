import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { OwnLink } from '@blindkeep/client/owner'
import { largestPlaintext } from '@blindkeep/client/sizes'
import { suggestPassphrase } from '../dialogs/suggestPassphrase.ts'
import { copyOf, draftOf, type LinkDraft, PRESETS, readChange, readDraft, usualName, withPreset } from './linkDraft.ts'
import { type QuestionDraft, withMoved, withNewQuestion } from './questionDrafts.ts'

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

  it('keeps texts and passphrase when another preset is chosen', () => {
    const kept = withPreset(draft({ label: 'Anna', from: 'Bo', passphrase: 'x-y', maxFiles: '3' }), 'one')
    const { label, from, passphrase, maxFiles, singleUse } = kept
    assert.deepEqual([label, from, passphrase, maxFiles, singleUse], ['Anna', 'Bo', 'x-y', '1000', true])
  })

  it('begins with the name that the newest link with words has, or with none', () => {
    const links = [
      { state: 'revoked', from: undefined },
      { state: 'live', from: 'Bo' },
      { state: 'live', from: 'Anna' },
    ] as const
    assert.deepEqual([usualName(links), usualName([{ state: 'live', from: undefined }, ...links])], ['Bo', ''])
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

  it('can’t end on a day that RFC 3339 cannot write in UTC', (t) => {
    const { TZ } = process.env
    t.after(() => (TZ === undefined ? delete process.env.TZ : Object.assign(process.env, { TZ })))
    process.env.TZ = 'America/New_York'
    assert.deepEqual(read({ expiry: 'date', date: '9999-12-31' }).faults, { date: 'date' })
    assert.equal(read({ expiry: 'date', date: '9999-12-30' }).link?.expiresAt, '9999-12-31T04:59:59.000Z')
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

  it('has a number of files in every preset of several files', () => {
    assert.equal(readDraft(PRESETS.anyone, NOW_MS).link?.caps?.maxFileCount, 100)
    assert.equal(readDraft(PRESETS.standing, NOW_MS).link?.caps?.maxFileCount, 10_000)
    assert.equal(readDraft({ ...PRESETS.one, singleUse: false }, NOW_MS).link?.caps?.maxFileCount, 1000)
  })

  it('has no limit for another empty field', () => {
    const draft = { ...PRESETS.standing, maxFiles: ' ', maxFileSize: { amount: ' ', unit: 'GB' } } as const
    const { link } = readDraft(draft, NOW_MS)
    assert.deepEqual([link?.caps?.maxFileCount, link?.caps?.maxFileSize], ['unlimited', undefined])
    assert.ok(link !== undefined && !('label' in link) && !('passphrase' in link))
  })

  it('for one file has no limits that contradict it', () => {
    const { link } = read({ singleUse: true, maxFiles: 'many' })
    assert.equal(link?.caps?.maxFileCount, undefined)
  })
})

describe('a link that exists', () => {
  const link = (given: Partial<OwnLink> = {}): OwnLink => ({
    opaqueId: '0'.repeat(32) as OwnLink['opaqueId'],
    url: '',
    state: 'live',
    isFull: false,
    passphraseRequired: false,
    createdAt: '2026-11-20T12:00:00.000Z',
    label: 'Anna',
    labelFault: undefined,
    refused: undefined,
    title: undefined,
    message: undefined,
    from: undefined,
    questions: undefined,
    fileKinds: undefined,
    titleFault: undefined,
    caps: { maxFileCount: 5, maxTotalBytes: 10_000_000_000, maxFileSize: undefined },
    singleUse: false,
    expiresAt: '2026-11-27T12:00:00.000Z',
    landedFiles: 2,
    landedBytes: 2_000_000,
    openSessions: 1,
    openBytes: 1_000_000,
    pending: 0,
    ...given,
  })

  it('is in the form as it is, and nothing of it changes without a change', () => {
    const draft = draftOf(link())
    assert.deepEqual([draft.maxFiles, draft.maxTotal, draft.date], ['5', { amount: '10', unit: 'GB' }, '2026-11-27'])
    assert.deepEqual(readChange(draft, link(), NOW_MS), { change: {}, faults: {} })
    const leap = link({ expiresAt: '2026-12-31T12:59:60Z' })
    assert.equal(draftOf(leap).date, '2026-12-31')
    assert.equal(copyOf(leap, NOW_MS).date.length, 10)
  })

  it('is changed only in what its owner changes, also when it has expired', () => {
    const expired = link({ state: 'expired', expiresAt: '2026-11-20T13:00:00.000Z' })
    const more = { ...draftOf(expired), maxFiles: '' }
    assert.deepEqual(readChange(more, expired, NOW_MS).change, { maxFileCount: null })
    assert.deepEqual(readChange({ ...more, expiry: 'never' }, expired, NOW_MS).change, {
      expiresAt: null,
      maxFileCount: null,
    })
    const words = { ...draftOf(link({ title: 'Scans' })), message: 'Until Sunday' }
    assert.deepEqual(readChange(words, link({ title: 'Scans' }), NOW_MS).change, {
      forGuests: { title: 'Scans', message: 'Until Sunday', from: '' },
    })
    assert.deepEqual(readChange({ ...draftOf(link()), label: ' Bob ' }, link(), NOW_MS).change, { label: 'Bob' })
    assert.deepEqual(readChange({ ...draftOf(link()), label: '' }, link(), NOW_MS).change, { label: '' })
    const unlimited = { ...draftOf(link()), noTotalLimit: true, maxFileSize: { amount: '1', unit: 'MB' } as const }
    const { change } = readChange(unlimited, link(), NOW_MS)
    assert.deepEqual([change?.maxTotalBytes, largestPlaintext(change?.maxFileSize ?? 0)], [null, 1e6])
  })

  it('keeps what it asks when its words change, and can ask something else or nothing', () => {
    const asked = {
      questions: [
        { label: 'Matter', required: true, kind: 'text', most: 20 },
        { label: 'Topic', required: false, kind: 'choice', choices: ['Invoice', 'Other'] },
      ],
      fileKinds: ['pdf', 'jpg'],
    } as const
    const asking = link(asked)
    const draft = draftOf(asking)
    const changed = (to: Partial<LinkDraft>) => readChange({ ...draft, ...to }, asking, NOW_MS).change
    assert.deepEqual(changed({}), {})
    const words = { title: '', message: '', from: '' }
    assert.deepEqual(changed({ title: 'Scans' }), { forGuests: { ...words, title: 'Scans', ...asked } })
    assert.deepEqual(changed({ questions: withMoved(draft.questions, 1, -1) }), {
      forGuests: { ...words, ...asked, questions: asked.questions.toReversed() },
    })
    assert.deepEqual(changed({ questions: [], fileKinds: ' ' }), {
      forGuests: words,
    })
    assert.deepEqual(readDraft({ ...copyOf(asking, NOW_MS) }, NOW_MS).link?.questions, asked.questions)
  })

  it('gets no limit below what it has used', () => {
    const less = { ...draftOf(link()), maxFiles: '2', maxTotal: { amount: '2', unit: 'MB' } as const }
    assert.deepEqual(readChange(less, link(), NOW_MS), { faults: { maxFiles: 'below_use', maxTotal: 'below_use' } })
    assert.deepEqual(
      readChange({ ...less, maxFiles: '3', maxTotal: draftOf(link()).maxTotal }, link(), NOW_MS).faults,
      {},
    )
  })

  it('is duplicated with the same limits and the same lifetime from now', () => {
    assert.deepEqual(copyOf(link(), NOW_MS), { ...draftOf(link()), expiry: 'week', date: '' })
    const odd = copyOf(link({ expiresAt: '2026-11-23T12:00:00.000Z' }), NOW_MS)
    assert.deepEqual([odd.expiry, odd.date], ['date', '2026-11-24'])
    assert.equal(copyOf(link({ expiresAt: undefined }), NOW_MS).expiry, 'never')
  })
})

describe('what a link asks', () => {
  const asks = (questions: readonly Partial<QuestionDraft>[], fileKinds = '') => {
    const [empty] = withNewQuestion([])
    assert.ok(empty)
    return read({ questions: questions.map((question, id) => ({ ...empty, ...question, id })), fileKinds })
  }

  it('has its kinds of files as they are typed in any way', () => {
    assert.deepEqual(asks([], '.PDF, *.jpg;pdf tiff').link?.fileKinds, ['pdf', 'jpg', 'tiff'])
    assert.deepEqual(asks([], 'pdf, a/b').faults, { asked: { fileKinds: true } })
  })

  it('has choices a line each, and is kept when another preset is chosen', () => {
    const { link } = asks([{ label: ' Topic ', kind: 'choice', choices: 'Invoice\n\nOther\n' }])
    assert.deepEqual(link?.questions, [
      { label: ' Topic ', required: true, kind: 'choice', choices: ['Invoice', 'Other'] },
    ])
    const kept = withPreset(draft({ questions: withNewQuestion([]), fileKinds: 'pdf' }), 'one')
    assert.deepEqual([kept.questions.length, kept.fileKinds], [1, 'pdf'])
  })

  it('names the field of the first fault, and the last question if all are too much', () => {
    const faultOf = (...questions: readonly Partial<QuestionDraft>[]) => asks(questions).faults.asked?.question
    const choices = Array.from({ length: 20 }, (_, at) => `${at}`.padEnd(100, 'x')).join('\n')
    const long = [0, 1, 2].map((at) => ({ label: `${at}`, kind: 'choice' as const, choices }))
    assert.deepEqual(faultOf({ label: 'A' }, { label: 'A' }), { id: 1, field: 'label', reason: 'label_repeated' })
    assert.deepEqual(faultOf({ label: 'A', kind: 'choice', choices: 'x' }), {
      ...{ id: 0, field: 'choices', reason: 'choices_count' },
    })
    assert.deepEqual(faultOf({ label: 'A', most: '501' }), { id: 0, field: 'most', reason: 'most' })
    assert.deepEqual(faultOf(...long), { id: 2, field: 'label', reason: 'too_long' })
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
