import '../common/base.css'
import { draw } from '../common/draw.ts'
import { takeBackFragment } from '../common/takeBackFragment.ts'
import './guest.css'
import './print.css'
import { GuestPage } from './page.tsx'

const isExposed = takeBackFragment()
const page = document.getElementById('page')
if (page !== null) {
  page.replaceChildren()
  draw(<GuestPage isExposed={isExposed} />, page)
}
// Another link pasted into the same tab may change only the fragment, and then the browser does not load the page.
addEventListener('hashchange', () => location.reload())
