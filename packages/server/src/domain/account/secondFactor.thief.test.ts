import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { notRefused } from '../../testing/guest.ts'
import { type Desk, deskOf, enroll, guarded, reasonOf, register, WRONG } from '../../testing/secondFactor.ts'
import { proved } from '../../testing/signInKeys.ts'
import { defined, inWorld, type World } from '../../testing/world.ts'

describe('a thief of the password', () => {
  it(
    'locks out neither an owner with a backup code nor the confirmation of another factor, with any number of attempts',
    inWorld(async (world) => {
      const desk = deskOf(world)
      const { backupCodes } = await guarded(desk, world)
      for (let count = 0; count < 105; count += 1) {
        const source = `source ${count}`
        await desk.verify(await desk.challenged(source), WRONG, source)
        assert.equal(await desk.verify(await desk.challenged(source), 'AAAAA-AAAAA', source), 'totp_code_wrong')
      }
      assert.equal(await desk.verify(await desk.challenged('own'), defined(backupCodes[0]), 'own'), 'in')
      const off = { provedKey: proved(), code: defined(backupCodes[1]), source: 'own' }
      assert.equal(await desk.factor.disable(await desk.account(), off), undefined)
      const second = await enroll(desk)
      notRefused(await desk.factor.confirm(await desk.account(), { code: desk.code(second), source: 'own' }))
    }),
  )
})

describe('a thief of a key that is changed meanwhile', () => {
  /** The owner changes the key while the thief's one is checked. */
  const overtaken = (world: World, { account }: Desk) =>
    deskOf(world, async () => {
      const { accountId, signInKeyHash, ...rest } = await account()
      await world.store.write([], (tx) =>
        tx.accounts.changeSignInKey(accountId, defined(signInKeyHash), { ...rest, signInKeyHash: proved('other') }),
      )
    })

  it(
    'turns no second factor on',
    inWorld(async (world) => {
      const desk = deskOf(world)
      const account = await register(desk)
      const { factor } = overtaken(world, desk)
      const answer = await factor.enroll(account, { provedKey: proved(), source: undefined })
      assert.equal(reasonOf(answer), 'credentials_wrong')
      assert.equal(await world.store.read((tx) => tx.secondFactors.find(account.accountId)), undefined)
    }),
  )

  it(
    'turns no second factor off, and uses up no code',
    inWorld(async (world) => {
      const desk = deskOf(world)
      const { authenticator } = await guarded(desk, world)
      const account = await desk.account()
      const off = { provedKey: proved(), code: desk.code(authenticator), source: undefined }
      assert.equal(reasonOf(await overtaken(world, desk).factor.disable(account, off)), 'credentials_wrong')
      assert.ok((await desk.account()).totpConfirmedAt !== undefined)
    }),
  )
})
