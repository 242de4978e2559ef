// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Caller} from "../src/helpers/Caller.sol";
import {Base} from "./Base.sol";

contract CallerTest is Base {
    Caller private caller = Caller(deployShipped("Caller"));

    function testFuzz_tellsWhoCalls(address anybody) public {
        vm.prank(anybody);
        assertEq(caller.caller(), uint160(anybody), "caller");
    }
}
