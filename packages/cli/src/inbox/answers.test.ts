import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseFolderTemplate } from '@blindkeep/client/folderTemplate'
import type { FileDescription } from '@blindkeep/client/owner'
import { InvalidArgumentError } from 'commander'
import { UsageError } from '../ground/exits.ts'
import { hasAnswered, type LabelFlags, labelsWanted, requireLabel, where } from './answers.ts'
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
  const labels = ['Matter number', 'Topic', 'Gr\u00F6\u00DFe', 'A=B']
  const require = (flags: LabelFlags, known: readonly string[] = labels) => {
    for (const wanted of labelsWanted(flags)) requireLabel(wanted, { known })
  }

  it('is one that there is, in any case and however an accent is written, wherever a label is taken', () => {
    for (const label of ['Gro\u0308\u00DFe', 'GR\u00D6SSE', 'topic'])
      require({ where: [`${label}=1`], sort: label, albumBy: label, into: parseFolderTemplate(`{${label}}/{sender}`) })
    require({ where: ['a=b=c'], sort: 'newest' })
  })

  it('is refused where it is none, with the nearest first', () => {
    for (const [option, flags] of [
      ['--where Topc=Invoice', { where: ['topic=Bill', 'Topc=Invoice'] }],
      ['--sort Topc', { sort: 'Topc' }],
      ['--album-by Topc', { albumBy: 'Topc' }],
      ['--into {Topc}', { into: parseFolderTemplate('x/{Topc}') }],
    ] as const)
      assert.throws(
        () => require(flags),
        (error) =>
          error instanceof UsageError && error.message.startsWith(`${option}: no link asks this. There are: Topic, `),
      )
    assert.throws(() => require({ sort: 'sise' }), /There are: .*largest/)
    assert.throws(() => require({ where: ['Topic=1'] }, []), /There is no question at all\./)
  })

  it('is refused with a short line, however many labels guests invent', () => {
    const invented = Array.from({ length: 10_000 }, (_, index) => `${index}`.padEnd(200, 'x'))
    assert.throws(
      () => require({ sort: 'Topc' }, ['Topic', '\u001B[2J', ...invented]),
      (error) =>
        error instanceof UsageError &&
        /There are: Topic, .*9998 more/.test(error.message) &&
        !error.message.includes('\u001B') &&
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
