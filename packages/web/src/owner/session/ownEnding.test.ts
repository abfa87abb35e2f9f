/** Ends of a session by the owner's own call, on a real server whose answers are late or lost. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { registerOwner } from '@blindkeep/client/account'
import { NetworkError, PasswordWrong } from '@blindkeep/client/errors'
import { quickEnvironment } from '../../../../../testing/people.ts'
import { type RunningServer, startServer } from '../../../../../testing/startServer.ts'
import { until } from '../../../../../testing/until.ts'
import { onOwnerLeave } from '../ground/ownerLeave.ts'
import { endBy, type OwnEnding } from './ownEnding.ts'
import { close, newSignIn, newTab, show } from './sessionTab.ts'

let server: RunningServer
before(async () => {
  server = await startServer()
})
after(() => server.stop())

interface Trouble {
  /** `before`: the request reaches no server. `after`: the server has done it. `resent`: by the browser, after that. */
  readonly lost?: 'before' | 'after' | 'resent'
  /** Between what the server has done and the arrival of its answer. */
  readonly meanwhile?: (() => Promise<void>) | undefined
}

const PASSWORD = 'a sentence of words'

/** A tab whose next DELETE has this trouble. */
async function openTab() {
  let trouble: Trouble = {}
  let [isAsked, hasForgotten] = [false, false]
  const tab = newTab(server.url)
  const signIn = newSignIn(tab)
  const owner = await registerOwner({
    ...{ baseUrl: server.url, email: `${randomUUID()}@example.org`, password: PASSWORD, ...signIn.listener },
    environment: {
      ...quickEnvironment,
      async fetch(input, init) {
        const { lost, meanwhile } = init?.method === 'DELETE' ? trouble : {}
        if (init?.method === 'DELETE') [trouble, isAsked] = [{}, false]
        if (lost === 'before') throw new TypeError('lost')
        const answer = await quickEnvironment.fetch(input, init)
        await meanwhile?.()
        if (lost === 'after') throw new TypeError('lost')
        if (lost === 'resent') return await quickEnvironment.fetch(input, init)
        isAsked ||= init?.method === 'GET' && new URL(String(input)).pathname === '/v1/account'
        return answer
      },
    },
  })
  tab.signIn = signIn
  show(tab, { stage: 'in', owner, isStored: false, isStoringRefused: false })
  onOwnerLeave(owner, () => {
    hasForgotten = true
  })
  const { deviceId } = await owner.addDevice()
  const calls: Readonly<Record<OwnEnding, (password?: string) => Promise<void>>> = {
    deletion: (password = PASSWORD) => owner.deleteAccount({ password }),
    revocation: () => owner.revokeDevice(deviceId),
  }
  return {
    owner,
    isAsked: () => isAsked,
    async endSessions() {
      for (const { sessionId } of await owner.sessions()) await owner.endSession(sessionId)
    },
    /** Another tab takes the session, and shows the end of it. */
    steal: async () => close(tab),
    hasForgotten: () => hasForgotten,
    /** As the stream of events does. It must show nothing. */
    async findOver() {
      await assert.rejects(owner.account(), { status: 401 })
      assert.equal(tab.view.stage, 'in')
    },
    async reason() {
      await until(() => tab.view.stage === 'out')
      return tab.view.stage === 'out' ? tab.view.reason : undefined
    },
    end(ending: OwnEnding, given: Trouble & { readonly password?: string } = {}) {
      trouble = given
      return endBy(tab, ending, () => calls[ending](given.password))
    },
  }
}

const OUTCOMES = [
  { ending: 'deletion', done: 'deleted', lost: 'deletion_unsure' },
  { ending: 'revocation', done: 'key_revoked', lost: 'revocation_unsure' },
] as const

describe('a session that its owner ends', () => {
  it('shows why, also if the server says before its answer that the session is over', async () => {
    for (const { ending, done } of OUTCOMES) {
      const tab = await openTab()
      await tab.end(ending, { meanwhile: tab.findOver })
      assert.equal(await tab.reason(), done)
    }
  })

  it('shows that the answer was lost, whichever the page learns first', async () => {
    for (const { ending, lost } of OUTCOMES) {
      const tab = await openTab()
      const meanwhile = ending === 'deletion' ? tab.findOver : undefined
      await assert.rejects(tab.end(ending, { lost: 'after', meanwhile }), NetworkError)
      assert.equal(await tab.reason(), lost)
    }
  })

  it('shows the same if the browser sends the lost request again, which is refused', async () => {
    for (const { ending, lost } of OUTCOMES) {
      const tab = await openTab()
      await assert.rejects(tab.end(ending, { lost: 'resent' }), { status: 401 })
      assert.equal(await tab.reason(), lost)
    }
  })

  it('goes on if the request was lost or refused, and then ends for its own reason', async () => {
    const tab = await openTab()
    await assert.rejects(tab.end('deletion', { password: 'another sentence' }), PasswordWrong)
    await assert.rejects(tab.end('deletion', { lost: 'before' }), NetworkError)
    await until(tab.isAsked)
    await tab.endSessions()
    await assert.rejects(tab.owner.account(), { status: 401 })
    assert.equal(await tab.reason(), 'ended')
  })

  it('ends for its own reason if it was over before the call', async () => {
    for (const { ending } of OUTCOMES) {
      const tab = await openTab()
      await tab.endSessions()
      await assert.rejects(tab.end(ending), { status: 401 })
      assert.equal(await tab.reason(), 'ended')
    }
  })

  it('is forgotten with its account, also if another tab has taken it meanwhile', async () => {
    const tab = await openTab()
    await tab.end('deletion', { meanwhile: tab.steal })
    assert.ok(tab.hasForgotten())
  })
})
