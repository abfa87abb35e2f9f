import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { FileDescription } from '@blindkeep/client/owner'
import type { Asked } from '@blindkeep/client/questions'
import { choicesOf, isAnsweredBy, questionsOf, shownAnswersOf } from './answers.ts'
import type { ListedDrop } from './dropList.ts'

const asked: Asked = {
  questions: [
    { label: 'Matter', required: true, kind: 'text', most: undefined },
    { label: 'Pages', required: false, kind: 'number' },
  ],
  fileKinds: ['pdf'],
}
const file = (fields: FileDescription['fields'], name = 'a.pdf'): FileDescription => ({
  ...{ name, safeName: name, type: undefined, note: undefined, sender: undefined, modifiedAt: undefined, size: 1 },
  ...(fields && { fields }),
})
const shown = (of: FileDescription, by: Asked | undefined = asked) => {
  const { answers, marks } = shownAnswersOf(of, by)
  return {
    answers: answers.map(({ label, value, mark }) => [label, value, mark?.is]),
    marks: marks.map(({ is }) => is),
  }
}

describe('the answers of a file', () => {
  it('stand in the order of the questions, with what is not asked behind them', () => {
    const fields = [
      ['Colour', 'red'],
      ['Pages', 'many'],
      ['Matter', '17'],
      ['Matter', '18'],
    ] as const
    assert.deepEqual(shown(file(fields, 'a.exe')), {
      answers: [
        ['Matter', '17', undefined],
        ['Pages', 'many', 'faulty'],
        ['Colour', 'red', 'not_asked'],
        ['Matter', '18', 'not_asked'],
      ],
      marks: ['wrong_kind'],
    })
  })

  it('keep the place of one that is missing or optional', () => {
    assert.deepEqual(shown(file([])).answers, [
      ['Matter', undefined, 'missing'],
      ['Pages', undefined, undefined],
    ])
  })

  it('are marked once for the file of a page that knew no questions', () => {
    assert.deepEqual(shown(file(undefined)), { answers: [], marks: ['without_answers'] })
  })

  it('are not marked while the link is not known', () => {
    assert.deepEqual(shownAnswersOf(file([['Matter', '17']], 'a.exe'), undefined), {
      answers: [{ label: 'Matter', value: '17', mark: undefined }],
      marks: [],
    })
  })
})

it('questions to find files by are named once, in whatever case links and files have them', () => {
  const [matter] = asked.questions ?? []
  const drops = [
    { opaqueId: 'upper', file: file([]) },
    { opaqueId: 'lower', file: file([]) },
    {
      opaqueId: 'unknown',
      file: file([
        ['PAGES', '1'],
        ['matter', '17'],
      ]),
    },
  ] as unknown as readonly ListedDrop[]
  const links = new Map<string, Asked>([
    ['upper', asked],
    ['lower', { ...asked, questions: matter && [{ ...matter, label: 'MATTER' }] }],
  ])
  assert.deepEqual(
    questionsOf(drops, (opaqueId) => links.get(opaqueId)),
    ['Matter', 'Pages'],
  )
})

it('the answers to a question with choices are its choices, then what else guests have said', () => {
  const topic = (choices: readonly string[], label = 'Topic') =>
    ({ label, required: false, kind: 'choice', choices }) as const
  const said = (opaqueId: string, topic: string) => ({ opaqueId, file: file([['Topic', topic]]) })
  const drops = [
    said('one', 'Invoice'),
    said('one', 'Gift'),
    said('two', 'Cafe\u0301'),
    said('unknown', 'Gift'),
  ] as unknown as readonly ListedDrop[]
  const links = new Map<string, Asked>([
    ['one', { questions: [topic(['Invoice', 'Invoice abroad'])], fileKinds: undefined }],
    ['two', { questions: [topic(['Caf\u00e9', 'Invoice'], 'TOPIC')], fileKinds: undefined }],
  ])
  const choices = choicesOf('Topic', drops, (opaqueId) => links.get(opaqueId))
  assert.deepEqual(choices, ['Invoice', 'Invoice abroad', 'Café', 'Gift'])
  const found = (answer: string, offered = choices) =>
    ['Invoice', 'Invoice abroad', 'Cafe\u0301', undefined].filter(isAnsweredBy(answer, offered))
  assert.deepEqual(found('Invoice'), ['Invoice'])
  assert.deepEqual(found('Café'), ['Cafe\u0301'])
  // Of an address that was kept, or typed: no choice.
  assert.deepEqual(found('invoice'), ['Invoice', 'Invoice abroad'])

  assert.equal(
    choicesOf('Matter', drops, () => asked),
    undefined,
  )
  links.set('two', { questions: [{ ...topic([]), kind: 'number' }], fileKinds: undefined })
  assert.equal(
    choicesOf('Topic', drops, (opaqueId) => links.get(opaqueId)),
    undefined,
  )
})
