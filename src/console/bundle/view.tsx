import { Empty } from '../components/states.js'

export function BundleView() {
  return (
    <>
      <div class="view-head">
        <h1>Bundle</h1>
      </div>
      <Empty title="Nothing here yet">This view is not made yet.</Empty>
    </>
  )
}
