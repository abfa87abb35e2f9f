import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  AddressError,
  NetworkError,
  ProblemError,
  type ProblemFacts,
  SendError,
  WordsError,
} from '@blindkeep/client/errors'
import { PROBLEM_CODES } from '@blindkeep/protocol/problems'
import { errorTexts, requestIdOf } from './errorText.ts'

const problem = (facts: Partial<ProblemFacts>) =>
  new ProblemError({ operation: 'quota', status: 400, code: 'unknown', requestId: 'r-1', ...facts })

describe('the text of an error', () => {
  it('never contains text from the server', () => {
    const detail = 'Call this number now'
    for (const code of PROBLEM_CODES)
      for (const language of ['en', 'de'] as const) {
        const text = errorTexts[language](problem({ code, detail }))
        assert.ok(text.length > 10 && !text.includes(detail) && !text.includes('error.'), code)
      }
  })

  it('says how long to wait, and the limit', () => {
    const tooOften = problem({ code: 'error.auth.rate_limited', retryAfterSeconds: 90 })
    assert.equal(errorTexts.en(tooOften), 'There were too many attempts. Try again in 2 minutes.')
    assert.equal(errorTexts.de(tooOften), 'Es gab zu viele Versuche. Versuchen Sie es in 2 Minuten noch einmal.')
    const tooLarge = problem({ code: 'error.upload.file_too_large', limit: 1_000_000 })
    assert.equal(errorTexts.en(tooLarge), 'The file is larger than the server allows. At most 1 MB.')
  })

  it('names the wrong word', () => {
    const unknown = new WordsError('unknown_word', '', { place: 7, word: 'quark' })
    assert.match(errorTexts.en(unknown), /Word 7, “quark”/)
    assert.match(errorTexts.de(new WordsError('checksum', '')), /vertauscht/)
  })

  it('exists for unexpected errors', () => {
    assert.equal(errorTexts.en('a string'), errorTexts.en(new RangeError('bytes')))
    assert.notEqual(errorTexts.en(new NetworkError('timeout')), errorTexts.en(new NetworkError('cut')))
  })

  it('names both addresses when the server calls itself by another one', () => {
    const error = new AddressError({ given: 'https://keep.example', found: 'https://other.example', about: 'proof' })
    for (const language of ['en', 'de'] as const)
      assert.match(errorTexts[language](error), /https:\/\/keep\.example.*https:\/\/other\.example/)
  })

  it('comes with the request’s id when the server has failed', () => {
    const failed = problem({ status: 500, code: 'error.request.failed' })
    assert.equal(requestIdOf(failed), 'r-1')
    assert.equal(requestIdOf(new SendError('server_unavailable', failed)), 'r-1')
    assert.equal(requestIdOf(problem({ code: 'error.auth.rate_limited' })), undefined)
    assert.equal(requestIdOf(new Error('no')), undefined)
  })
})
