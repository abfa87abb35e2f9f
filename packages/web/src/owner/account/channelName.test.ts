import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { channelNameOf } from './channelName.ts'

describe('the name of a channel', () => {
  it('tells two topics of one host apart, without the whole topic', () => {
    assert.equal(channelNameOf('https://ntfy.sh/family-4711'), 'ntfy.sh/fami…')
    assert.equal(channelNameOf('https://ntfy.sh/office-4711/'), 'ntfy.sh/offi…')
    assert.equal(channelNameOf('https://ntfy.example:8443/abc?auth=secret'), 'ntfy.example:8443/abc')
  })

  it('is missing for a host alone, and for what is no URL', () => {
    for (const address of ['https://hooks.example/', 'hooks.example', 'olga@example.org', 'mailto:olga@example.org'])
      assert.equal(channelNameOf(address), undefined, address)
  })
})
