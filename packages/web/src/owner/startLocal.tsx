/** A local page of an owner: it pairs, and shows the owner's pages. */

import { setLocalToken } from '../common/address/localPage.ts'
import { draw } from '../common/drawing/draw.ts'
import { openLocal } from '../local/openLocal.tsx'
import { type LocalLook, PairPage } from '../local/pairPage.tsx'
import { SignedOutFrame } from './account/signedOutFrame.tsx'
import { App } from './app.tsx'
import { setLocalDevice } from './browser/localDevice.ts'
import { ErrorNotice } from './dialogs/errorNotice.tsx'
import { localSessionOf, type PairedAccount, pairedAccountIn } from './session/localSession.ts'

const LOOK: LocalLook = { Frame: SignedOutFrame, Failed: ErrorNotice, title: 'pairTitle', explain: 'pairExplain' }

export async function startLocalPage(page: HTMLElement): Promise<void> {
  const serverUrl = await openLocal(page, LOOK)
  if (serverUrl === undefined) return
  const onPaired = (answer: Readonly<Record<string, unknown>>) => {
    const account = pairedAccountIn(answer)
    return account && enter(account)
  }
  const pair = () => draw(<PairPage look={LOOK} serverUrl={serverUrl} onPaired={onPaired} />, page)
  const enter = async (account: PairedAccount) => {
    setLocalToken(account.token)
    setLocalDevice(account.sealedDevice)
    const session = await localSessionOf(serverUrl, account)
    session.subscribe(() => {
      if (session.view().stage !== 'in') pair()
    })
    draw(<App baseUrl={serverUrl} session={session} />, page)
  }
  pair()
}
