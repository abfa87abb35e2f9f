/** A local page from its start to its end, whatever it shows: it knows its server, and closes with its program. */

import { askProgram, holdProgram, onLocalEnd } from '../common/address/localPage.ts'
import { draw } from '../common/drawing/draw.ts'
import { ClosedPage, type LocalLook } from './pairPage.tsx'

/** The server's public URL. Undefined, and drawn, where the program has ended. */
export async function openLocal(page: HTMLElement, look: LocalLook): Promise<string | undefined> {
  const close = () => draw(<ClosedPage look={look} />, page)
  // Nothing of the pages is drawn again: a part that they load later would come from whatever has the port by then.
  onLocalEnd(close)
  await holdProgram()
  const serverUrl = await serverOfProgram()
  if (serverUrl === undefined) close()
  return serverUrl
}

/** As the person gave it to the command line. The program names this very page beside it. */
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
