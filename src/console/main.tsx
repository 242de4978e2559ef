/** The console: what the service can do, in a browser. Everything comes from the service itself, by the client that others use. */
import { render } from 'preact'
import { takeKey } from './app/session.js'
import { Shell } from './app/shell.js'

takeKey()
const place = document.getElementById('console')
if (place) {
  place.replaceChildren()
  render(<Shell />, place)
}
