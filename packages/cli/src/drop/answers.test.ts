import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Question } from '@blindkeep/client/questions'
import { UsageError } from '../ground/exits.ts'
import { answersOf } from './answers.ts'

const questions: readonly Question[] = [
  { label: 'Matter', kind: 'text', required: true, most: undefined },
  { label: 'Topic', kind: 'choice', choices: ['Bill', 'Other'], required: false },
  { label: 'Day', kind: 'date', required: false },
]

function answered(...fields: readonly string[]) {
  const said: string[] = []
  return { said, answers: answersOf({ questions }, fields, { aside: (text) => said.push(text) }) }
}

const isRefused = (says: RegExp) => (error: unknown) => error instanceof UsageError && says.test(error.message)

describe('the questions of a link without a terminal', () => {
  it('are said once each: those that are open, once the answers can be sent', async () => {
    const { said, answers } = answered('matter=17', 'Day=2026-12-31')
    assert.deepEqual(await answers, [
      ['Matter', '17'],
      ['Day', '2026-12-31'],
    ])
    assert.deepEqual(said, [
      "The owner of the link also asks: Topic (Bill or Other). --field 'QUESTION=ANSWER' answers it.",
    ])
    const all = answered('Matter=17', 'Topic=Bill', 'Day=2026-12-31')
    await all.answers
    assert.deepEqual(all.said, [])
  })

  it('are said once each: those that are answered wrongly or must be, with how', async () => {
    const { said, answers } = answered('Topic=None')
    const wrong = 'Matter (required): It must be answered. Topic (Bill or Other): It is none of the choices.'
    await assert.rejects(
      answers,
      isRefused(new RegExp(`^[^:]* Nothing was sent\\. ${wrong.replace(/[().]/g, '\\$&')}$`)),
    )
    assert.deepEqual(said, [])
  })

  it('are all said for an answer to what is not asked', async () => {
    await assert.rejects(
      answered('Colour=red').answers,
      isRefused(/^--field Colour=red: .* The link asks: Matter \(required\); Topic \(Bill or Other\); Day \(.*\)\.$/),
    )
  })
})
