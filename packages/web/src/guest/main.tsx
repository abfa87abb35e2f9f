import { render } from 'preact'
import '../common/base.css'

import workerUrl from './worker.ts?worker&url'

console.log(workerUrl)

const page = document.getElementById('page')
if (page !== null) render(<main class="card">Blindkeep</main>, page)
