import '../common/base.css'
import { baseUrlBefore } from '../common/address/baseUrl.ts'
import { isLocalPage } from '../common/address/localPage.ts'
import { draw } from '../common/drawing/draw.ts'
import { App } from './app.tsx'
import { createPageSession } from './session/session.ts'
import { keepTaking } from './take/taking.ts'

const page = document.getElementById('page')
if (page !== null && isLocalPage) void import('./startLocal.tsx').then(({ startLocalPage }) => startLocalPage(page))
else if (page !== null) startPage(page)

function startPage(page: HTMLElement): void {
  const baseUrl = baseUrlBefore(location, /(?:index\.html)?$/)
  const session = createPageSession(baseUrl)
  draw(<App baseUrl={baseUrl} session={session} />, page)
  void session.open()
  void keepTaking({ baseUrl })
  // A tab without the session resumes it when it is shown after the other tab has closed.
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') void session.open()
  })
}
