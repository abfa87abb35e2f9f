/** The page of a link or share of others, from this machine: it pairs, and gets the address. */
import type { LinkParts } from '@blindkeep/client/guest'
import { setLocalToken } from '../common/address/localPage.ts'
import { Notice } from '../common/controls/controls.tsx'
import { draw } from '../common/drawing/draw.ts'
import { useText } from '../common/language/reader.ts'
import { drawGuest } from '../guest/drawGuest.tsx'
import { openLocal } from '../local/openLocal.tsx'
import { type LocalLook, PairPage } from '../local/pairPage.tsx'
import { localTexts } from '../local/texts.ts'
import { LinkFrame } from './linkFrame.tsx'

const LOOK: LocalLook = { Frame: LinkFrame, Failed, title: 'linkTitle', explain: 'linkExplain' }

/** Only the program that shows this page can have failed. */
function Failed() {
  return <Notice tone="bad">{useText(localTexts).programFailed}</Notice>
}

export async function startLocalLink(page: HTMLElement): Promise<void> {
  const serverUrl = await openLocal(page, LOOK)
  if (serverUrl === undefined) return
  const onPaired = (answer: Readonly<Record<string, unknown>>) => {
    const given = givenIn(answer, serverUrl)
    return given && enter(page, given)
  }
  draw(<PairPage look={LOOK} serverUrl={serverUrl} onPaired={onPaired} />, page)
}

/** SECRET. It is in the memory of this page alone: what stands in the address of a page gets into the history. */
interface GivenAddress {
  readonly shows: 'link' | 'share'
  readonly parts: LinkParts
  readonly isExposed: boolean
  readonly token: string
}

function givenIn(answer: Readonly<Record<string, unknown>>, serverUrl: string): GivenAddress | undefined {
  const { token, shows, opaque_id: opaqueId, fragment, is_exposed: isExposed } = answer
  if (typeof token !== 'string' || typeof opaqueId !== 'string' || typeof fragment !== 'string') return undefined
  if (shows !== 'link' && shows !== 'share') return undefined
  const parts = { baseUrl: location.origin, serverUrl, opaqueId, fragment }
  return { shows, parts, isExposed: isExposed === true, token }
}

async function enter(page: HTMLElement, { shows, parts, isExposed, token }: GivenAddress): Promise<void> {
  setLocalToken(token)
  if (shows === 'link') return drawGuest(page, isExposed, { parts, token, note: <NothingKept /> })
  const { drawShare } = await import('../share/drawShare.tsx')
  drawShare(page, isExposed, parts)
}

function NothingKept() {
  return <Notice tone="info">{useText(localTexts).nothingKept}</Notice>
}
