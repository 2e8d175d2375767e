# SPDX-License-Identifier: MIT
# Changes the directory of tests/data/livelock: it greets every cache that asks, once, and when a greeted
# one answers, it recalls the block from any of them. Let x and y wait for the block, and both answers be
# under way: x's answer with a recall of y leads to the same state as y's answer with a recall of x, up
# to the names of x and y. Of all steps of a state, those are two that come in another order than their numbers.
s/MachineID Owner, .*/&\n    NetDest Askers,       desc="Who has been greeted";/
/action(greet/,/^  }/{
  s/peek(request_in, BlockMsg) {/&\n      if (getDirectoryEntry(address).Askers.isElement(in_msg.Requestor) == false) {\n      getDirectoryEntry(address).Askers.add(in_msg.Requestor);/
  s/^    }/    } }/
}
s/^  action(setOwner/  action(recallAny, "y", desc="Any that was greeted is to give it back") {\n    enqueue(recall_out, BlockMsg, latency) {\n      out_msg.addr := address;\n      out_msg.Type := MsgType:Recall;\n      out_msg.Destination.add(getDirectoryEntry(address).Askers.smallestElement(MachineType:L1Cache));\n    }\n  }\n\n&/
/transition.*Hello/,/}/s/popRequest/recallAny; &/
/transition({IM, MR, MI}, Get)/,/}/s/refuse/greet; &/
