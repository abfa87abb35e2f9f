import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { linkPathIn } from './questions.ts'

const SERVER = 'https://keep.example'

describe('the address of a link', () => {
  it('is asked for as a browser would, with its query and without its fragment', () => {
    for (const [given, path] of [
      ['/u/0123#key', '/u/0123'],
      ['/v/0123#key\n', '/v/0123'],
      ['/u/0123?from=mail#key', '/u/0123?from=mail'],
      ['/u/0123', '/u/0123'],
    ] as const)
      assert.equal(linkPathIn(`${SERVER}${given}`, SERVER), path)
    assert.equal(linkPathIn('HTTPS://KEEP.example:443/u/0123#key', SERVER), '/u/0123')
    assert.equal(linkPathIn(`${SERVER}/below/u/0123#key`, `${SERVER}/below`), '/u/0123')
  })

  it('is refused at another server or path, and with a key that is no longer behind a #', () => {
    for (const given of [
      `${SERVER}.evil.example/u/0123#key`,
      `${SERVER}@evil.example/u/0123#key`,
      `${SERVER}:444/u/0123#key`,
      `${SERVER}/u/0123/#key`,
      `${SERVER}/u/0123%23key`,
      `${SERVER}/u/0123%2523key`,
      `${SERVER}/u/0123?x=%23key`,
      `${SERVER}/u/../d/0123#key`,
      `${SERVER}/#/register`,
      'nothing',
    ])
      assert.equal(linkPathIn(given, SERVER), undefined, given)
  })
})
