/**
 * The one document of links (`/u/`) and shares (`/v/`). Guests are many and wait for their first paint, so their page
 * is in this script; a share's is loaded after it.
 */
import '../common/base.css'
import { isLocalPage } from '../common/address/localPage.ts'
import { takeBackFragment } from '../common/address/takeBackFragment.ts'
import { drawGuest } from '../guest/drawGuest.tsx'

async function start(): Promise<void> {
  const page = document.getElementById('page')
  if (page !== null && isLocalPage) {
    page.replaceChildren()
    return (await import('./localLink.tsx')).startLocalLink(page)
  }
  const isExposed = takeBackFragment()
  const isShare = /\/v\/[^/]*\/?$/.test(location.pathname)
  const drawPage = isShare ? (await import('../share/drawShare.tsx')).drawShare : drawGuest
  page?.replaceChildren()
  if (page !== null) drawPage(page, isExposed)
}

// No `await` here: the share's script imports parts of this one, and would wait for its end.
void start()
// Another link or share in the same tab may change only the fragment, so nothing of the last one may stay.
addEventListener('hashchange', () => location.reload())
