import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import blobs from '../../../../vectors/sealed-blobs.json' with { type: 'json' }
import { answersText, answerTo, parseAnswers } from '../seal/answers.ts'
import {
  type AnswerFault,
  answerFault,
  askedBy,
  marksOf,
  sealedAnswer,
  type TypedFault,
  typedFault,
} from './answerFaults.ts'
import { fileKindFault, fileKindsText } from './fileKinds.ts'
import { parseQuestions, type Question, questionsFault, questionsText } from './questions.ts'

const matter: Question = { label: 'Matter number', kind: 'text', required: true, most: 20 }
const topic: Question = { label: 'Topic', kind: 'choice', required: false, choices: ['Invoice', 'Other'] }
const day: Question = { label: 'Day', kind: 'date', required: false }
const amount: Question = { label: 'Amount', kind: 'number', required: true }
const all = [matter, topic, day, amount]

describe('the questions of a link', () => {
  it('are read as they were written, without members that say nothing', () => {
    assert.deepEqual(parseQuestions(questionsText(all)), all)
    assert.equal(questionsText([{ ...day, label: ' Day\n' }]), '[{"label":"Day","kind":"date"}]')
  })

  it('are passed over for a member that objects have anyway, and for half of a character', () => {
    assert.equal(parseQuestions('[{"label":"a","kind":"date","__proto__":1}]'), undefined)
    assert.equal(parseQuestions('[{"label":"\\ud800","kind":"date"}]'), undefined)
  })

  it('may have 4200 bytes', () => {
    const long = Array.from({ length: 8 }, (_, index): Question => ({ ...day, label: `${index}`.repeat(200) }))
    const choices = Array.from({ length: 20 }, (_, index) => `${index}`.padEnd(100, 'x'))
    const more = [...long, { ...topic, label: 't'.repeat(100), choices }]
    const withLast = (characters: number) => [...more, { ...day, label: 'y'.repeat(characters) }]
    const rest = 4200 - questionsText(withLast(1)).length + 1
    const text = questionsText(withLast(rest))
    assert.equal(text.length, 4200)
    assert.equal(parseQuestions(text)?.length, 10)
    assert.equal(parseQuestions(`${text} `), undefined)
    assert.deepEqual(questionsFault(withLast(rest + 1)), { reason: 'too_long' })
  })

  it('that no reader takes are refused with the reason, and the question that it is about', () => {
    assert.deepEqual(questionsFault([matter, { ...matter, label: ' Matter number ' }]), {
      reason: 'label_repeated',
      at: 1,
    })
    assert.deepEqual(questionsFault([day, { ...topic, choices: ['a'] }]), { reason: 'choices_count', at: 1 })
    const [composed, decomposed] = ['Caf\u00E9', 'Cafe\u0301']
    const equal = [composed, decomposed].map((label): Question => ({ ...day, label }))
    assert.deepEqual(questionsFault(equal), { reason: 'label_repeated', at: 1 })
    assert.equal(parseQuestions(JSON.stringify(equal)), undefined)
    const [upper, lower] = ['DAY', 'day'].map((label): Question => ({ ...day, label }))
    assert.ok(upper && lower)
    assert.deepEqual(questionsFault([upper, lower]), { reason: 'label_repeated', at: 1 })
    // A link of another client may have both.
    assert.deepEqual(parseQuestions(JSON.stringify([upper, lower])), [upper, lower])
    assert.deepEqual(questionsFault([{ ...topic, choices: [composed, decomposed] }]), {
      reason: 'choice_repeated',
      at: 0,
    })
    assert.deepEqual(questionsFault([{ ...topic, choices: ['a', '\u200B\u3164'] }]), {
      reason: 'choice_missing',
      at: 0,
    })
    assert.equal(questionsFault(all), undefined)
    assert.throws(() => questionsText([{ ...day, label: '\u200E' }]), { name: 'RangeError', message: /needs a label/u })
  })
})

describe('answers', () => {
  for (const { name, text, answers } of blobs.fields.read)
    it(`are read, each as one line: ${name}`, () => {
      assert.deepEqual(parseAnswers(text), answers)
      assert.deepEqual(parseAnswers(answersText(parseAnswers(text) ?? [])), answers)
    })
  for (const { name, text } of blobs.fields.passed_over)
    it(`are passed over as a whole: ${name}`, () => assert.equal(parseAnswers(text), undefined))

  it('that are too long are not sealed', () => {
    const long = Array.from({ length: 5 }, (_, index) => [`${index}`, 'x'.repeat(2000)] as const)
    assert.throws(() => answersText(long), RangeError)
    assert.throws(() => answersText([['a', 'x'.repeat(2001)]]), RangeError)
    assert.throws(() => answersText(Array.from({ length: 11 }, () => ['a', 'b'] as const)), RangeError)
  })

  for (const [question, value, fault] of [
    [matter, ' ', 'missing'],
    [matter, '\u200B\u3164\u2800', 'missing'],
    [topic, '', undefined],
    [{ ...topic, choices: ['Caf\u00E9', 'Other'] }, 'Cafe\u0301', undefined],
    [matter, '😀'.repeat(20), undefined],
    [matter, 'x'.repeat(21), 'too_long'],
    [{ ...matter, most: undefined }, 'x'.repeat(501), 'too_long'],
    [topic, 'Other', undefined],
    [topic, 'other', 'not_a_choice'],
    [day, '2028-02-29', undefined],
    [day, '2026-02-29', 'not_a_date'],
    [day, '1.3.2026', 'not_a_date'],
    [amount, '-12.50', undefined],
    [amount, '12,50', 'not_a_number'],
    [amount, '1e9', 'not_a_number'],
  ] as readonly (readonly [Question, string, AnswerFault | undefined])[])
    it(`to ${question.label}: “${value.slice(0, 12)}” is ${fault ?? 'taken'}`, () => {
      assert.equal(answerFault(question, value), fault)
    })
})

describe('what a guest types as a number', () => {
  for (const [typed, sealed, fault] of [
    ['1250,50', '1250.50', undefined],
    [' -1250.5\n', '-1250.5', undefined],
    ['0,125', '0.125', undefined],
    ['1250', '1250', undefined],
    ['1250,500', '1250.500', undefined],
    ['1,2500', '1.2500', undefined],
    ['1,250', '1.250', 'two_ways'],
    ['-125.000', '-125.000', 'two_ways'],
    ['1.250,50', '1.250,50', 'not_a_number'],
    ['1,250,000', '1,250,000', 'not_a_number'],
    ['1 250', '1 250', 'not_a_number'],
    [',5', ',5', 'not_a_number'],
    ['', '', 'missing'],
  ] as readonly (readonly [string, string, TypedFault | undefined])[])
    it(`${JSON.stringify(typed)} is ${fault ?? sealed}`, () => {
      assert.deepEqual([sealedAnswer(amount, typed), typedFault(amount, typed)], [sealed, fault])
      assert.equal(sealedAnswer(amount, sealed), sealed, 'typed again, it is the same')
    })
})

describe('the marks beside a file', () => {
  const name = 'a.PDF'

  it('say what is missing, what is no answer, what was not asked, and a wrong ending', () => {
    const fields = [
      ['Topic', 'Bill'],
      ['Colour', 'red'],
      ['Matter number', '1'],
      ['Matter number', '2'],
    ] as const
    assert.deepEqual(marksOf({ questions: all, fileKinds: ['jpg'] }, { name, fields }), [
      { is: 'faulty', label: 'Topic', fault: 'not_a_choice' },
      { is: 'missing', label: 'Amount' },
      { is: 'not_asked', label: 'Colour' },
      { is: 'not_asked', label: 'Matter number' },
      { is: 'wrong_kind', fileKinds: ['jpg'] },
    ])
  })

  it('do not depend on how an accent is written', () => {
    const size: Question = { ...matter, label: 'Gr\u00F6\u00DFe' }
    const fields = [['Gro\u0308\u00DFe', '1']] as const
    assert.deepEqual(marksOf({ questions: [size], fileKinds: undefined }, { name, fields }), [])
  })

  it('take an answer for that of a question that is written the same, or differs in case alone', () => {
    const asked = { questions: [{ ...matter, label: 'Stra\u00DFe' }, day], fileKinds: undefined }
    const once = [['STRASSE', '1']] as const
    assert.deepEqual(marksOf(asked, { name, fields: once }), [])
    assert.equal(answerTo(once, 'stra\u00DFe'), '1')
    const twice = [...once, ['Stra\u00DFe', '2']] as const
    assert.deepEqual(marksOf(asked, { name, fields: twice }), [{ is: 'not_asked', label: 'STRASSE' }])
    assert.equal(answerTo(twice, 'Stra\u00DFe'), '2')
  })

  it('are not known where the words of the link do not open', () => {
    const words = { questions: undefined, fileKinds: undefined }
    assert.equal(askedBy({ ...words, titleFault: 'It does not open.' }), undefined)
    assert.equal(askedBy(undefined), undefined)
    const link = { ...words, titleFault: undefined }
    assert.equal(askedBy(link), link)
  })

  it('say that a file without answers came from a page that asked nothing, if something is required', () => {
    assert.deepEqual(marksOf({ questions: all, fileKinds: ['pdf'] }, { name }), [{ is: 'without_answers' }])
    assert.deepEqual(marksOf({ questions: [topic, day], fileKinds: undefined }, { name }), [])
    assert.deepEqual(marksOf({ questions: undefined, fileKinds: undefined }, { name, fields: [] }), [])
  })
})

describe('the kinds of files of a link', () => {
  it('are endings with commas', () => {
    assert.equal(fileKindsText(['.PDF', 'jpg ', 'pdf']), 'pdf,jpg')
    const many = Array.from({ length: 101 }, (_, index) => `${index}`.padStart(4, '0'))
    for (const wrong of [[], ['tar.gz'], ['a,b'], many]) assert.throws(() => fileKindsText(wrong), RangeError)
  })

  const bytes = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0))
  for (const [file, beginning, fault] of [
    ['a.pdf', '\n\n%PDF-1.7', undefined],
    ['a.pdf', '<html>', 'content'],
    ['a.pdf', '', 'content'],
    ['a.JPEG', '\xFF\xD8\xFF\xE0', undefined],
    ['a.png', '\x89PNG\r\n\x1A\n', undefined],
    ['a.gif', 'GIF87b', 'content'],
    ['a.gif', 'GIF89a', undefined],
    ['a.webp', 'RIFF1234WEBPVP8', undefined],
    ['a.webp', 'RIFF1234WAVE', 'content'],
    ['a.zip', 'PK\x03\x04', undefined],
    ['a.txt', 'anything', undefined],
    ['a.pdf', undefined, undefined],
    ['a.exe', undefined, 'ending'],
    ['pdf', undefined, 'ending'],
    ['a.pdf.', undefined, 'ending'],
  ] as const)
    it(`take ${file} with ${JSON.stringify(beginning)}: ${fault ?? 'yes'}`, () => {
      const kinds = ['pdf', 'jpg', 'png', 'gif', 'webp', 'zip', 'txt']
      assert.equal(fileKindFault(kinds, file, beginning === undefined ? undefined : bytes(beginning)), fault)
      assert.equal(fileKindFault(undefined, file, undefined), undefined)
    })
})
