import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Question } from '@blindkeep/client/questions'
import { InvalidArgumentError } from 'commander'
import { UsageError } from '../ground/exits.ts'
import { questionsLine } from '../ground/questionTexts.ts'
import { askedWith, fileKinds, question } from './questionOptions.ts'

describe('a question of the command line', () => {
  for (const [text, asked] of [
    ['Matter number:text!', { label: 'Matter number', required: true, kind: 'text', most: undefined }],
    ['Remark: text=200', { label: 'Remark', required: false, kind: 'text', most: 200 }],
    ['Topic:choice!=Invoice|a: b', { label: 'Topic', required: true, kind: 'choice', choices: ['Invoice', 'a: b'] }],
    ['at: what time:number', { label: 'at: what time', required: false, kind: 'number' }],
    ['Day:date', { label: 'Day', required: false, kind: 'date' }],
  ] as const)
    it(`is read: ${text}`, () => assert.deepEqual(question(text), [asked]))

  for (const text of ['Day', 'Day:', 'Day:file', 'Day:date=1', 'Topic:choice', 'Remark:text=long', ':'])
    it(`is refused with the forms: ${text}`, () => {
      assert.throws(
        () => question(text),
        (error) => error instanceof InvalidArgumentError && /Topic:choice!=/.test(error.message),
      )
    })

  it('is refused with a ! behind its choices, which would be a part of the last one, unless it is required', () => {
    assert.throws(
      () => question('Topic:choice=Invoice|Other!'),
      (error) => error instanceof InvalidArgumentError && /behind the kind, .*"Topic:choice!=/.test(error.message),
    )
    assert.deepEqual(question('T:choice!=a|b!'), [{ label: 'T', required: true, kind: 'choice', choices: ['a', 'b!'] }])
  })

  it('is refused if no guest’s client would read it', () => {
    for (const text of ['T:choice=a', 'T:text=501', ':date'])
      assert.throws(() => askedWith({ question: question(text) ?? [] }), UsageError)
    assert.throws(() => askedWith({ question: question('a:date', question('a:text')) ?? [] }), UsageError)
  })

  it('takes the place of those before, which an empty text removes, and which stay without it', () => {
    const [day = assert.fail()] = question('Day:date') ?? []
    const before = { questions: [day], fileKinds: ['pdf'] }
    assert.deepEqual(askedWith({}, before), before)
    assert.deepEqual(askedWith({ question: question(' ') ?? [], fileKinds: 'any' }, before), {
      questions: undefined,
      fileKinds: undefined,
    })
  })

  it('is said with what it takes', () => {
    const questions = ['A:text!=5', 'B:choice=c|d', 'E:text'].flatMap((text) => question(text) ?? []) as Question[]
    assert.equal(questionsLine(questions), 'A (required, at most 5 characters); B (c or d); E')
  })
})

it('kinds of files are endings', () => {
  assert.deepEqual([fileKinds('.PDF, jpg'), fileKinds('')], [['pdf', 'jpg'], 'any'])
  assert.throws(() => fileKinds('tar.gz'), InvalidArgumentError)
})
