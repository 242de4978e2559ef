// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {BalancerV3Quoter} from "../src/helpers/BalancerV3Quoter.sol";
import {IBalancerV3Vault} from "../src/helpers/BalancerV3Swapper.sol";
import {QuotedSwaps} from "../src/helpers/QuotedSwaps.sol";
import {BalancerVaultBase} from "./BalancerVaultBase.sol";
import {HookedPool} from "./mocks/BalancerVault.sol";

/// @dev Throws what the quoter itself throws, which the Vault hands on as it is.
contract ForgingPool {
    function onSwap(uint256) external pure {
        QuotedSwaps.Result[] memory results = new QuotedSwaps.Result[](1);
        results[0] = QuotedSwaps.Result({spent: 1 ether, amountOut: 1_000 ether, gasUsed: 1});
        revert QuotedSwaps.Swapped(results);
    }
}

contract BurningPool {
    function onSwap(uint256) external pure {
        while (true) {}
    }
}

contract BalancerV3QuoterTest is BalancerVaultBase {
    uint256 private constant GAS = 1_000_000;
    BalancerV3Quoter private quoter = BalancerV3Quoter(deployShipped("BalancerV3Quoter"));

    /// @dev A row of one swap, and a row of two.
    function quote(address pool_, uint256 amount) private returns (QuotedSwaps.Result[][] memory) {
        BalancerV3Quoter.Swap[][] memory rows = new BalancerV3Quoter.Swap[][](2);
        for (uint256 row; row < 2; ++row) {
            rows[row] = new BalancerV3Quoter.Swap[](row + 1);
            for (uint256 i; i <= row; ++i) rows[row][i] = BalancerV3Quoter.Swap(weth, usdc, amount);
        }
        return quoter.quote(IBalancerV3Vault(address(vault)), pool_, rows, GAS);
    }

    function testFuzz_aQuoteIsWhatTheSwapThenGives(uint256 amount) public {
        amount = 1 + (amount % 100 ether);
        QuotedSwaps.Result[][] memory quoted = quote(plain, amount);
        assertEq(quoted[0].length, 1, "results of the first row");
        assertEq(quoted[1].length, 2, "results of the second row");
        assertEq(quoted[0][0].spent, amount, "spent");
        assertTrue(quoted[0][0].gasUsed > 0 && quoted[0][0].gasUsed < GAS, "gas");
        assertEq(weth.balanceOf(address(vault)), 100 ether, "a quote moves nothing");
        weth.transfer(address(vault), amount);
        uint256 out = swapper.swap(IBalancerV3Vault(address(vault)), plain, weth, usdc, receiver);
        assertEq(out, quoted[0][0].amountOut, "what the swap gives");
    }

    function test_whatHooksThrowIsNoResult() public {
        QuotedSwaps.Result[][] memory quoted = quote(address(new ForgingPool()), 1 ether);
        assertEq(quoted[0].length + quoted[1].length, 0, "its own results");
    }

    function test_hooksThatBurnAllGasAreNotQuotedAndLeaveTheRest() public {
        address pool_ = address(new BurningPool());
        uint256 start = gasleft();
        QuotedSwaps.Result[][] memory quoted = quote(pool_, 1 ether);
        assertEq(quoted[0].length + quoted[1].length, 0, "nothing is quoted");
        assertTrue(start - gasleft() < 3 * GAS + 300_000, "no more gas than that of its swaps");
    }

    function test_hooksThatCallTheQuoterAgainChangeNothing() public {
        HookedPool again = new HookedPool();
        BalancerV3Quoter.Swap[] memory swaps = new BalancerV3Quoter.Swap[](1);
        swaps[0] = BalancerV3Quoter.Swap(weth, usdc, 1 ether);
        again.arm(address(quoter), abi.encodeCall(BalancerV3Quoter.quoteUnlocked, (plain, swaps)), 0);
        assertEq(quote(address(again), 1 ether)[0][0].amountOut, swapOutput(1 ether), "its own swap alone");
        assertEq(quote(plain, 1 ether)[0][0].amountOut, swapOutput(1 ether), "and the next");
    }
}
