import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Counted, isCounted, noticeOf } from './notice.ts'
import { readPushMessage } from './pushMessage.ts'

const landed = (id: string, count: number) =>
  readPushMessage(
    JSON.stringify({ about: 'landings', id, count, last_at: '2026-06-01T10:05:00.000Z', server: 'keep.example' }),
  )
const notice = (message: ReturnType<typeof landed>, shown?: Counted, language: 'en' | 'de' = 'en') =>
  noticeOf(message, { language, shown })

describe('the words of a message', () => {
  it('say how many files have arrived, where, and when the last one did', () => {
    const { title, body } = notice(landed('a', 1))
    assert.equal(title, '1 file has arrived')
    assert.match(body, /^In your inbox on keep\.example\. The last one: .*2026/)
    assert.equal(notice(landed('a', 1200), undefined, 'de').title.replace(/\D/g, ''), '1200')
    assert.match(notice(landed('a', 2), undefined, 'de').title, /^2 Dateien sind angekommen$/)
  })

  it('count what is still shown, and a repeat once', () => {
    const first = notice(landed('a', 3))
    const second = notice(landed('b', 2), first.counted)
    assert.equal(second.title, '5 files have arrived')
    assert.deepEqual([second.tag, isCounted(second.counted)], [first.tag, true])
    assert.equal(notice(landed('a', 3), second.counted).title, '5 files have arrived')
  })
})

describe('what no server sends', () => {
  it('is shown as such, and never fails', () => {
    for (const wrong of ['', '{}', '[]', 'null', '{"about":"test"}']) assert.equal(readPushMessage(wrong), undefined)
    for (const count of [0, -1, 1.5]) assert.equal(landed('a', count), undefined)
    assert.equal(notice(undefined).title, 'Blindkeep')
  })
})
