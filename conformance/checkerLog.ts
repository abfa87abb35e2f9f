/** A log as clients hold it: landed drops, some of them adopted, and uploaded assets. */
import {
  type Author,
  adoptBody,
  authorFrom,
  landAsset,
  landBlob,
  newBundle,
  receiptsOf,
  sendAdoption,
  successorOf,
} from './assetWorld.ts'
import { json } from './call.ts'
import type { Client } from './client.ts'
import { expectAnswer } from './expect.ts'
import { inboxOf, type Link, land, provision, type Session, sessionPath, sha256, signUp } from './world.ts'

/** The JSON of an AssetReceipt. */
export type HeldReceipt = Readonly<Record<string, unknown>> & {
  readonly receipt_seq: number
  readonly receipt_cbor: string
}

export interface HeldLog {
  /** Each once, in the order of receipt_seq. On a new server this is its whole log. */
  readonly receipts: readonly HeldReceipt[]
  /** The answer with the receipts of one asset. */
  readonly answer: { readonly asset_id: string; readonly receipts: readonly HeldReceipt[] }
  /** The answer of attestation-keys. */
  readonly keys: { readonly server_id: string; readonly keys: readonly Readonly<Record<string, string>>[] }
}

const DROPS = 14
const ADOPTED = 6
const ASSETS = 6

/** 40 receipts of a new account: 14 landings, 6 adoptions, 6 complete assets, and a replaced one. */
export async function newLog(client: Client): Promise<HeldLog> {
  const owner = await signUp(client)
  const author = await authorFrom(owner)
  const link = await provision(owner)
  const guests: HeldReceipt[] = []
  const lists: HeldReceipt[][] = []
  for (let at = 0; at < DROPS; at += 1) {
    const session = await land(link)
    guests.push(await guestReceipt(session))
    if (at < ADOPTED) lists.push([...(await adopt(author, link, session))])
    if (at < ASSETS) lists.push([...(await heldReceiptsOf(await landAsset(newBundle(author))))])
  }
  const replaced = await landAsset(newBundle(author))
  const next = successorOf(replaced, replaced.provenance)
  await landBlob(next)
  const answer = { asset_id: next.assetId, receipts: await heldReceiptsOf(next) }
  const bySeq = new Map(
    [...guests, ...lists.flat(), ...answer.receipts].map((receipt) => [receipt.receipt_seq, receipt]),
  )
  const receipts = [...bySeq.values()].toSorted((one, two) => one.receipt_seq - two.receipt_seq)
  return {
    receipts,
    answer,
    keys: json(await client.send({ method: 'GET', path: '/.well-known/service/attestation-keys' })),
  }
}

async function guestReceipt(session: Session): Promise<HeldReceipt> {
  return json<HeldReceipt>(await session.client.send({ method: 'GET', path: `${sessionPath(session)}/receipt` }))
}

async function adopt(author: Author, link: Link, session: Session): Promise<readonly HeldReceipt[]> {
  const drop = (await inboxOf(link.owner)).find(({ ciphertext_hash }) => ciphertext_hash === sha256(session.file))
  const bundle = newBundle(author, { original: session.file })
  expectAnswer(await sendAdoption(author.owner, drop?.drop_id ?? '', adoptBody(bundle)), '200')
  return heldReceiptsOf(bundle)
}

async function heldReceiptsOf(bundle: Parameters<typeof receiptsOf>[0]): Promise<readonly HeldReceipt[]> {
  return (await receiptsOf(bundle)).map((receipt) => ({ ...receipt }))
}
