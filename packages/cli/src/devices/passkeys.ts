/** `passkeys list`, `passkeys name`, `passkeys remove`. A terminal has no authenticator, so a browser adds them. */
import type { OwnPasskey } from '@blindkeep/client/owner'
import type { OwnerFlags } from '../account/profile.ts'
import { signedIn } from '../account/session.ts'
import { agrees } from '../ground/ask.ts'
import { EXIT, type Exit } from '../ground/exits.ts'
import { type Picking, pick } from '../ground/pick.ts'
import { shrinking } from '../ground/table.ts'
import { namedText, shortId, shown, timeText } from '../ground/texts.ts'
import { tellNameFaults } from './named.ts'

export async function listPasskeys(flags: OwnerFlags): Promise<Exit> {
  const { owner, report } = await signedIn(flags)
  const passkeys = await owner.passkeys()
  const rows = passkeys.map((passkey) => ({ cells: cellsOf(passkey), fact: factOf(passkey) }))
  report.list(['ID', shrinking('NAME'), 'ADDED', 'LAST USED'], rows, 'There are no passkeys.')
  return tellNameFaults(
    passkeys.filter(({ nameFault }) => nameFault !== undefined).map(({ passkeyId }) => passkeyId),
    { what: 'passkey', report },
  )
}

function cellsOf({ passkeyId, name = '', createdAt, lastUsedAt }: OwnPasskey): readonly string[] {
  const used = lastUsedAt === undefined ? 'never' : timeText(lastUsedAt)
  return [shortId(passkeyId), shown(name), timeText(createdAt), used]
}

function factOf({ passkeyId, name, createdAt, lastUsedAt }: OwnPasskey) {
  return { passkey_id: passkeyId, name, created_at: createdAt, last_used_at: lastUsedAt }
}

const PASSKEY: Picking<OwnPasskey> = {
  what: 'passkey',
  listedBy: 'passkeys list',
  id: ({ passkeyId }) => passkeyId,
  name: ({ name }) => name,
}

export async function namePasskey(given: string, name: string, flags: OwnerFlags): Promise<Exit> {
  const { owner, report } = await signedIn(flags)
  const { passkeyId } = pick(await owner.passkeys(), given, PASSKEY)
  await owner.namePasskey(passkeyId, name)
  const fact = { event: 'named', passkey_id: passkeyId, name }
  report.result(`The passkey ${shortId(passkeyId)} is now ${shown(name)}.`, fact)
  return EXIT.done
}

export async function removePasskey(given: string, flags: OwnerFlags): Promise<Exit> {
  const { owner, report } = await signedIn(flags)
  const passkey = pick(await owner.passkeys(), given, PASSKEY)
  const { passkeyId } = passkey
  const question = `Remove the passkey ${namedText(passkeyId, passkey)}? It signs in no more, and what it has signed in is signed out.`
  if (!(await agrees(question, flags))) return EXIT.failed
  await owner.removePasskey(passkeyId)
  report.result(`The passkey ${shortId(passkeyId)} is removed.`, { event: 'removed', passkey_id: passkeyId })
  return EXIT.done
}
