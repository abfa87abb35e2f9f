/** A local page from its start to its end: it pairs, shows the owner's pages, and closes with its program. */

import { draw } from '../../common/draw.ts'
import { askProgram, holdProgram, onLocalEnd, setLocalToken } from '../../common/localPage.ts'
import { App } from '../app.tsx'
import { setLocalDevice } from './localDevice.ts'
import { localSessionOf, type PairedAccount } from './localSession.ts'
import { ClosedPage, PairPage } from './pairPage.tsx'

export async function startLocalPage(page: HTMLElement): Promise<void> {
  // Nothing of the pages is drawn again: a part that they load later would come from whatever has the port by then.
  onLocalEnd(() => draw(<ClosedPage />, page))
  await holdProgram()
  const serverUrl = await serverOfProgram()
  if (serverUrl === undefined) return draw(<ClosedPage />, page)
  const pair = () => draw(<PairPage serverUrl={serverUrl} onPaired={enter} />, page)
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

/** The server's public URL, as the person gave it to the command line. The program names this very page beside it. */
async function serverOfProgram(): Promise<string | undefined> {
  try {
    const { status, body } = await askProgram('/local.json')
    const { format, origin, server_url: serverUrl } = body
    const isOurs = status === 200 && format === 'blindkeep/local/1' && origin === location.origin
    return isOurs && typeof serverUrl === 'string' ? serverUrl : undefined
  } catch {
    return undefined
  }
}
