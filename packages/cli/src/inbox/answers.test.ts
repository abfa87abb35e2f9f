import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { FileDescription } from '@blindkeep/client/owner'
import { InvalidArgumentError } from 'commander'
import { UsageError } from '../ground/exits.ts'
import { hasAnswered, knownLabel, where } from './answers.ts'
import { markFacts, marksText } from './marks.ts'

const answered = (...fields: readonly (readonly [string, string])[]) => ({
  file: { fields } as FileDescription & object,
})

describe('the answers of a drop', () => {
  it('fit a condition as a whole, by the first of equal labels, and however an accent is written', () => {
    const drop = answered(['A=B', 'C'], ['Topic', 'Caf\u00E9'], ['Topic', 'Other'])
    for (const fitting of [['A=B=C'], ['a=b=C'], ['Topic=Cafe\u0301', 'A=B=C'], ['topic=Café']])
      assert.ok(hasAnswered(drop, fitting))
    for (const other of [['Topic=Other'], ['topic=café'], ['Topic=Caf'], ['A=B'], ['A=B=C', 'Topic=Other']])
      assert.ok(!hasAnswered(drop, other))
    assert.ok(hasAnswered({ file: undefined }, []) && !hasAnswered({ file: undefined }, ['A=B']))
  })

  it('are asked for with a label and an answer', () => {
    assert.deepEqual(where('b=', where('A=B')), ['A=B', 'b='])
    for (const wrong of ['A', '', '=B']) assert.throws(() => where(wrong), InvalidArgumentError)
  })
})

describe('a label that the owner gives', () => {
  const labels = ['Topic', 'Gr\u00F6\u00DFe', 'TOPIC']
  const known = (given: string) => knownLabel({ given, known: labels, others: ['newest'], refusal: 'no' })

  it('is one that there is, however an accent is written, and in another case if none is written so', () => {
    assert.equal(known('Gro\u0308\u00DFe'), 'Gr\u00F6\u00DFe')
    assert.equal(known('GR\u00D6SSE'), 'Gr\u00F6\u00DFe')
    assert.deepEqual([known('TOPIC'), known('topic')], ['TOPIC', 'Topic'])
    assert.throws(() => known('Newest'), UsageError)
  })

  it('is refused with a short line, however many labels guests invent', () => {
    const invented = Array.from({ length: 10_000 }, (_, index) => `${index}`.padEnd(200, 'x'))
    assert.throws(
      () => {
        const all = ['Topic', ...invented, '\u001B[2J']
        return knownLabel({ given: 'Color', known: all, others: [], refusal: '--sort Color: no' })
      },
      (error) =>
        error instanceof UsageError &&
        /There are: Topic, .*9992 more/.test(error.message) &&
        error.message.length < 3000,
    )
  })
})

it('marks are said in words, without what moves a cursor, and for programs', () => {
  const marks = [
    { is: 'missing', label: 'A\u202E' },
    { is: 'faulty', label: 'B', fault: 'not_a_date' },
    { is: 'wrong_kind', fileKinds: ['pdf', 'jpg'] },
  ] as const
  assert.equal(marksText(marks), 'A\uFFFD missing, B no day, not a pdf or jpg')
  assert.deepEqual(markFacts(marks)?.slice(1), [
    { mark: 'faulty', label: 'B', fault: 'not_a_date' },
    { mark: 'wrong_kind', file_kinds: ['pdf', 'jpg'] },
  ])
})
