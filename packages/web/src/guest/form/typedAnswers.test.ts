import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Answers, Question } from '@blindkeep/client/questions'
import { answerFaults, answersIn, withAnswer } from './typedAnswers.ts'

const none: ReadonlySet<string> = new Set()
const text = (label: string, required = false): Question => ({ label, kind: 'text', required, most: undefined })
const QUESTIONS: readonly Question[] = [text('Matter', true), { label: 'Day', kind: 'date', required: false }]
const faultsOf = (answers: Answers, unreadable = none) => [...answerFaults(QUESTIONS, { answers, unreadable })]

describe('what a guest has typed as answers', () => {
  it('is sent in the owner’s order, trimmed, without what is unanswered and what is not asked any more', () => {
    const answers = [['Day', ''] as const, ['Gone', 'x'] as const, ['Matter', ' 1 '] as const]
    assert.deepEqual(answersIn(QUESTIONS, answers), [['Matter', '1']])
    const amount: Question = { label: 'Amount', kind: 'number', required: true }
    assert.deepEqual(answersIn([amount], [['Amount', '1250,50']]), [['Amount', '1250.50']])
  })

  it('has a fault for what is missing, and for what the browser could not read although its value is empty', () => {
    assert.deepEqual(faultsOf([]), [['Matter', 'missing']])
    const typed = withAnswer({ answers: [['Matter', '']], unreadable: new Set(['Matter', 'Day']) }, 'Matter', '1')
    assert.deepEqual(faultsOf(typed.answers, typed.unreadable), [['Day', 'not_a_date']])
    assert.deepEqual(faultsOf(typed.answers), [])
  })

  it('names the longest answer when all together are more than is sent', () => {
    const questions = ['a', 'b', 'c', 'd', 'e'].map((label) => text(label))
    const answers = questions.map(({ label }, index) => [label, '\u20AC'.repeat(490 + index)] as const)
    const faults = (given: Answers) => [...answerFaults(questions, { answers: given, unreadable: none })]
    assert.deepEqual(faults(answers), [])
    const more = ['f', 'g'].map((label) => text(label))
    const all = [...answers, ['f', '\u20AC'.repeat(400)] as const, ['g', '\u20AC'.repeat(300)] as const]
    assert.deepEqual(
      [...answerFaults([...questions, ...more], { answers: all, unreadable: none })],
      [['e', 'too_much']],
    )
  })
})
