import '../common/base.css'
import { draw } from '../common/draw.ts'
import { takeBackFragment } from '../common/takeBackFragment.ts'
import { ShareApp } from './shareApp.tsx'

const isExposed = takeBackFragment()
const page = document.getElementById('page')
if (page !== null) draw(<ShareApp isExposed={isExposed} />, page)
// Another link in the same tab is another share, so nothing of the last one may stay.
addEventListener('hashchange', () => location.reload())
